"use strict";
// The page of mercer label: it shows the state that the server sends and sends what a person does. Texts of the data
// are set as text, never as HTML.

const $ = id => document.getElementById(id);
const colours = 8; // --class-0 to --class-7 of the style sheet
const shapes = "●■▲◆"; // of the first eight classes, the next eight, ...
const reserved = "nsue/"; // keys of the page
const spare = "1234567890abcdfghijklmopqrtvwxyz"; // keys of classes whose names are none
const session = document.documentElement.dataset.session;
let state = null, places = null, busy = true, shownRow = null, noted = "", ended = false;
const seen = new Map(); // rows that were fetched
const keyOf = new Map(); // of each class, "": there was none left

const make = (tag, attributes, ...inside) => {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) e.addEventListener(name.slice(2), value);
    else if (value !== null) e.setAttribute(name, value);
  }
  e.append(...inside);
  return e;
};
const percent = v => (100 * v).toFixed(v < 0.1 ? 1 : 0) + " %";
const colour = k => `var(--class-${k % colours})`;
const shape = k => Math.floor(k / colours) % shapes.length;

// mark is the point that stands for a class on the map.
function mark(k) {
  const e = make("span", { class: "mark", "aria-hidden": "true" }, shapes[shape(k)]);
  e.style.setProperty("--class", colour(k));
  return e;
}

// sentence is a message with a capital.
const sentence = text => text.charAt(0).toUpperCase() + text.slice(1);
const bytes = text => Uint8Array.from(atob(text || ""), c => c.charCodeAt(0));

// complain shows what went wrong until something goes right.
function complain(text) {
  $("wrong").hidden = !text;
  $("wrong").replaceChildren(make("p", {}, sentence(text || "")));
}

// ask sends a request and reads what comes back. Where that is of another session, the page shows other data than are there now, and is
// loaded again.
async function ask(path, body) {
  const answer = await fetch(path, body === undefined ? {} : {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ session, ...body }),
  }).catch(() => { throw new Error("mercer label does not answer: it has ended, or is not reachable. Answers until now are kept."); });
  const text = await answer.text();
  if (!(answer.headers.get("Content-Type") || "").startsWith("application/json")) throw new Error(text.trim() || answer.statusText);
  const out = JSON.parse(text);
  if (out.session && out.session !== session) {
    location.reload();
    await new Promise(() => {}); // nothing more is done with this page
  }
  return out;
}

// act sends what a person did, and shows the state that comes back. A row that is not on the screen is not answered.
async function act(path, more) {
  if (busy || ended || !state) return;
  busy = true;
  try {
    if (path === "answer" && shownRow !== state.question.row) {
      await showRow(state.question.row);
      complain("");
      return;
    }
    const next = await ask(path, { number: state.question.number, row: state.question.row, ...more });
    complain(next.wrong);
    await show(next);
  } catch (e) {
    complain(e.message);
  } finally {
    busy = false;
  }
}

const note = () => $("note").value;
const answer = name => act("answer", { label: name, note: note() });

// row fetches what a row looks like, once.
async function row(i) {
  if (!seen.has(i)) seen.set(i, ask(`row/${i}`).catch(e => { seen.delete(i); throw e; }));
  return seen.get(i);
}

function picture(i, r) {
  const img = make("img", { src: `image/${i}?${session}`, alt: `row ${r.name}` });
  img.addEventListener("load", () => img.classList.toggle("small", img.naturalWidth <= 64));
  img.addEventListener("error", async () => { // the answer says why there is none
    const reason = await fetch(img.src).then(a => a.ok ? "" : a.text()).catch(() => "");
    img.replaceWith(make("p", { class: "note" }, reason.trim() || `row ${r.name}: the file is no picture that the browser can show`));
  });
  return img;
}

function cells(list, caption) {
  return make("div", { class: "cells" }, make("table", {}, make("caption", {}, caption),
    make("tbody", {}, ...list.map(c => make("tr", {}, make("th", { scope: "row" }, c.name), make("td", {}, c.text))))));
}

// showRow puts a row on the screen. If it cannot be shown there is none, which shownRow says.
async function showRow(i) {
  const at = $("row");
  if (i === shownRow) return;
  shownRow = null;
  if (i < 0) {
    shownRow = i;
    at.replaceChildren(make("p", {}, "Every row has a label or was skipped. End, or take an answer back."));
    return;
  }
  const r = await row(i).catch(e => {
    at.replaceChildren();
    throw new Error(`row ${i} cannot be shown, so it takes no answer; skip it, or answer again when it can be read. ${sentence(e.message)}`);
  });
  const parts = [];
  if (r.image) parts.push(picture(i, r));
  if (r.text) parts.push(make("pre", {}, r.text));
  if (r.cells && r.cells.length) parts.push(cells(r.cells, r.name));
  else parts.push(make("p", { class: "note" }, r.name));
  at.replaceChildren(...parts);
  shownRow = i;
}

// giveKeys gives each further class a key, which stays: its own name where that is one free character, else a free digit or letter.
function giveKeys(classes) {
  const further = classes.map(c => c.name).filter(name => !keyOf.has(name)), free = key => ![...keyOf.values()].includes(key);
  for (const name of further) {
    const own = name.toLowerCase();
    if (own.length === 1 && !reserved.includes(own) && free(own)) keyOf.set(name, own);
  }
  for (const name of further.filter(name => !keyOf.has(name))) keyOf.set(name, [...spare].find(free) || "");
}

function showClasses() {
  const list = state.classes;
  giveKeys(list);
  $("classes").style.setProperty("--letters", Math.min(24, Math.max(1, ...list.map(c => c.name.length))));
  $("classes").replaceChildren(...list.map((c, k) => {
    const share = make("span", { class: "share" });
    const b = make("button", { type: "button", onclick: () => answer(c.name), "data-class": c.name, disabled: state.question.row < 0 ? "" : null },
      ...(keyOf.get(c.name) ? [make("kbd", {}, keyOf.get(c.name))] : []), mark(k), make("span", { class: "name" }, c.name),
      make("span", { class: "percent" }, percent(state.belief[k] || 0)), share);
    share.style.width = 100 * (state.belief[k] || 0) + "%";
    b.style.setProperty("--class", colour(k));
    b.classList.toggle("given", state.given === c.name);
    return b;
  }));
}

const reasons = {
  risk: "Asked because its answer is expected to save most mistakes.",
  check: "A check: drawn at random, so that the expected error is honest.",
  again: "Asked again because you chose it.",
};

function showNumbers() {
  const e = state.error, rows = state.rows - state.answered, some = state.answered > 0 && rows > 0;
  const interval = `${percent(e.low)} to ${percent(e.high)}`;
  $("progress").textContent = `${state.answered} of ${state.rows} rows have a label` + (state.skipped ? `, ${state.skipped} skipped.` : ".") +
    (some ? ` Expected error on the others: ${percent(e.error)}, between ${percent(e.low)} and ${percent(e.high)}.` : "");
  const numbers = some ? [
    [`expected error of ${rows} rows`, percent(e.error)],
    [`${percent(e.level)} interval`, interval],
    ["random checks mistaken", `${e.mistaken} of ${e.checks}`],
  ] : [];
  $("numbers").replaceChildren(...numbers.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
  $("counts").tBodies[0].replaceChildren(...state.classes.map((c, k) => {
    return make("tr", {}, make("th", { scope: "row", class: "words" }, mark(k), " " + c.name), make("td", {}, String(c.labelled)),
      make("td", {}, state.answered > 0 ? String(c.believed) : "\u2013"));
  }));
  $("counts").hidden = state.classes.length === 0;
}

// drawn is an element of SVG.
function drawn(tag, attributes, ...inside) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
  e.append(...inside);
  return e;
}

// showCurve draws the expected error over the number of labels, with its interval; the caption says the same in words.
function showCurve() {
  const list = state.curve || [];
  $("curve").hidden = list.length < 2;
  if (list.length < 2) return;
  const first = list[0], last = list[list.length - 1], w = 360, h = 170, left = 46, right = 8, top = 8, bottom = 34;
  const highest = Math.max(...list.map(p => p.high)), most = [0.05, 0.1, 0.2, 0.5].find(v => v >= highest) || 1;
  const x = n => left + (n - first.labels) / (last.labels - first.labels) * (w - left - right);
  const y = v => top + (1 - v / most) * (h - top - bottom);
  const points = (of, along) => along.map(p => `${x(p.labels).toFixed(1)},${y(of(p)).toFixed(1)}`);
  const svg = drawn("svg", { viewBox: `0 0 ${w} ${h}`, role: "img", "aria-labelledby": "course" });
  for (const v of [0, most / 2, most]) {
    svg.append(drawn("line", { x1: left, x2: w - right, y1: y(v), y2: y(v), class: "grid" }),
      drawn("text", { x: left - 6, y: y(v) + 4, "text-anchor": "end" }, 100 * v + " %"));
  }
  svg.append(
    drawn("polygon", { points: [...points(p => p.high, list), ...points(p => p.low, [...list].reverse())].join(" "), class: "band" }),
    drawn("polyline", { points: points(p => p.error, list).join(" "), class: "path" }),
    drawn("text", { x: left, y: h - 18 }, String(first.labels)),
    drawn("text", { x: w - right, y: h - 18, "text-anchor": "end" }, String(last.labels)),
    drawn("text", { x: (left + w - right) / 2, y: h - 4, "text-anchor": "middle" }, "rows with a label"));
  $("line").replaceChildren(svg);
  $("course").textContent = `Expected error after each answer: ${percent(first.error)} with ${first.labels} labels, ` +
    `${percent(last.error)} with ${last.labels}. The band is the ${percent(state.error.level)} interval.`;
}

async function showList(id, list, words, nothing) {
  const items = await Promise.all(list.map(async d => {
    const r = await row(d.row).catch(e => ({ name: `row ${d.row}`, text: e.message }));
    const gist = r.text || (r.image ? "" : (r.cells || []).slice(0, 6).map(c => `${c.name} ${c.text}`).join(", "));
    return make("li", {}, make("button", { type: "button", "data-row": d.row, onclick: () => act("ask", { again: d.row }) },
      ...(r.image ? [picture(d.row, r)] : []), make("span", {}, words(d)), make("span", { class: "gist" }, gist ? gist.slice(0, 160) : r.name)));
  }));
  $(id).replaceChildren(...(items.length ? items : [make("li", { class: "note" }, nothing)]));
}

// point adds the shape of a class to the path of a canvas, all shapes of nearly the same area.
function point(c, x, y, r, k) {
  const s = 0.9 * r;
  switch (shape(k)) {
    case 1: c.rect(x - s, y - s, 2 * s, 2 * s); return;
    case 2: c.moveTo(x, y - 1.4 * r); c.lineTo(x + 1.3 * r, y + 0.9 * r); c.lineTo(x - 1.3 * r, y + 0.9 * r); break;
    case 3: c.moveTo(x, y - 1.3 * r); c.lineTo(x + 1.3 * r, y); c.lineTo(x, y + 1.3 * r); c.lineTo(x - 1.3 * r, y); break;
    default: c.arc(x, y, r, 0, 7); return;
  }
  c.closePath();
}

// draw draws the map.
function draw() {
  const canvas = $("map"), n = state ? state.rows : 0;
  if (!places || !n) return;
  const scale = window.devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
  canvas.width = Math.round(w * scale); canvas.height = Math.round(h * scale);
  const c = canvas.getContext("2d"), style = getComputedStyle(document.documentElement);
  const palette = Array.from({ length: colours }, (_, k) => style.getPropertyValue(`--class-${k}`).trim());
  const ink = style.getPropertyValue("--ink").trim(), grey = style.getPropertyValue("--muted").trim();
  const decided = bytes(state.decided), sure = bytes(state.sure), labelled = bytes(state.labelled);
  c.scale(scale, scale);
  const size = Math.max(1.5, Math.min(4, 120 / Math.sqrt(n))), many = state.classes.length, base = many > 1 ? 1 / many : 0;
  const at = i => [12 + places[2 * i] * (w - 24), 12 + (1 - places[2 * i + 1]) * (h - 24)];
  const order = [...Array(n).keys()].sort((a, b) => labelled[a] - labelled[b]);
  for (const i of order) {
    const [x, y] = at(i), belief = Math.max(0, (sure[i] / 255 - base) / (1 - base || 1));
    const unknown = !many || belief < 0.02 && !labelled[i];
    c.globalAlpha = labelled[i] ? 1 : unknown ? 0.4 : 0.25 + 0.75 * belief;
    c.fillStyle = unknown ? grey : palette[decided[i] % colours];
    c.beginPath();
    point(c, x, y, labelled[i] ? size + 1.5 : size, unknown ? 0 : decided[i]);
    c.fill();
    if (labelled[i]) { c.strokeStyle = ink; c.lineWidth = 1.2; c.stroke(); }
  }
  c.globalAlpha = 1;
  if (state.question.row >= 0) {
    const [x, y] = at(state.question.row);
    c.strokeStyle = ink; c.lineWidth = 2.5;
    c.beginPath(); c.arc(x, y, 9, 0, 7); c.stroke();
  }
}

$("map").addEventListener("click", e => {
  if (!places || !state) return;
  const box = $("map").getBoundingClientRect(), w = box.width, h = box.height;
  const x = (e.clientX - box.left - 12) / (w - 24), y = 1 - (e.clientY - box.top - 12) / (h - 24);
  let best = -1, least = Infinity;
  for (let i = 0; i < state.rows; i++) {
    const d = (w * (places[2 * i] - x)) ** 2 + (h * (places[2 * i + 1] - y)) ** 2;
    if (d < least) { least = d; best = i; }
  }
  if (best >= 0) act("ask", { again: best });
});

async function show(next) {
  state = next;
  $("why").textContent = reasons[state.question.why] || "";
  showClasses();
  showNumbers();
  showCurve();
  const question = state.question.number + " " + state.question.row;
  if (question !== noted) $("note").value = state.note || "";
  noted = question;
  const first = state.classes.length === 0;
  $("naming").textContent = first ? "Name its class" : "Another class";
  $("undo").disabled = !state.undo;
  $("skip").disabled = state.question.row < 0;
  draw();
  await showRow(state.question.row).catch(e => complain(e.message));
  document.body.dataset.question = state.question.number; // what a person may do something about now
  document.body.dataset.row = state.question.row;
  if (first && state.question.row >= 0) $("name").focus(); // there is nothing else to answer with
  $("note").disabled = state.question.row < 0;
  $("later").hidden = !state.passed;
  showList("passed", state.passed || [], d => d.note || "Skipped", "None.");
  showList("doubted", state.doubted || [], d => `${d.class}? ${percent(d.belief)}`, "None yet.");
  showList("suspicious", state.suspicious || [], d => `${d.label}, looks like ${d.class}`, "None.");
}

async function finish() {
  try {
    const out = await ask("finish", {});
    ended = true;
    document.body.classList.add("ended");
    complain("Ended. " + out.ended + " This page can be closed.");
  } catch (e) {
    complain(e.message);
  }
}

function sure(open) {
  $("sure").hidden = !open;
  (open ? $("yes") : $("row")).focus();
}

$("undo").addEventListener("click", () => act("undo"));
$("skip").addEventListener("click", () => act("skip", { note: note() }));
$("finish").addEventListener("click", () => sure(true));
$("yes").addEventListener("click", () => { sure(false); finish(); });
$("no").addEventListener("click", () => sure(false));
$("new").addEventListener("submit", async e => {
  e.preventDefault();
  const name = $("name").value.trim();
  if (!name) return;
  await act("answer", { label: name, new: true, note: note() });
  $("name").value = "";
  $("row").focus();
});

// Enter ends a note, so that the keys answer again.
$("note").addEventListener("keydown", e => {
  if (e.key !== "Enter") return;
  e.preventDefault();
  e.stopPropagation();
  $("row").focus();
});

addEventListener("keydown", e => {
  if (e.ctrlKey || e.altKey || e.metaKey || e.repeat) return;
  if (e.key === "Escape") { sure(false); return; }
  if (e.target instanceof HTMLInputElement || !$("sure").hidden) return;
  const key = e.key.toLowerCase(), c = state && state.classes.find(c => keyOf.get(c.name) === key);
  if (c && key && state.question.row >= 0) answer(c.name);
  else if (key === "u") act("undo");
  else if (key === "s") act("skip", { note: note() });
  else if (key === "e") sure(true);
  else if (key === "n") $("name").focus();
  else if (key === "/") $("note").focus();
  else return;
  e.preventDefault();
});

addEventListener("resize", draw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);

// Somebody else may answer in another browser: the number of the question says so.
setInterval(async () => {
  if (busy || ended || !state || document.hidden) return;
  try {
    const now = await ask("question");
    if (busy || now.number === state.question.number && now.row === state.question.row) return;
    busy = true; // or the new question would be answered by who sees the row of the old one
    try {
      await show(await ask("state"));
    } finally {
      busy = false;
    }
  } catch { /* the next thing that a person does says so */ }
}, 3000);

(async () => {
  try {
    places = await ask("map");
    await show(await ask("state"));
  } catch (e) {
    complain(e.message);
  } finally {
    busy = false;
  }
})();
