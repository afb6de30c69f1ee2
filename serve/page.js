"use strict";
const at = id => document.getElementById(id);
const models = new Map();

// made is an element with a text, and what stands in it.
function made(tag, text, ...inside) {
  const e = document.createElement(tag);
  if (text !== undefined) e.textContent = text;
  e.append(...inside);
  return e;
}

// asked sends a request, with the token where one was given. A fault of the server is an error with its text.
async function asked(path, body) {
  const headers = {};
  if (at("token").value) headers.Authorization = "Bearer " + at("token").value;
  const answer = await fetch(path, { method: body === undefined ? "GET" : "POST", headers, body, redirect: "error" });
  const text = await answer.text();
  if (answer.status === 401) at("token-line").hidden = false;
  if (!answer.ok) {
    let what = text;
    try { what = JSON.parse(text).error; } catch { /* a text that is no object is shown as it is */ }
    if (answer.status === 401) what = at("token").value ? "this is not the token of the server; correct it above" :
      "this server asks for a token; give it above";
    throw new Error(what);
  }
  return text;
}

// says shows a message. What the server calls body is the text of the page, whose lines it counts.
function says(text, fault) {
  const here = text.replace(/^body:(\d+):(\d+): /, "line $1, column $2: ").replace(/^body:(\d+): /, "line $1: ").replace(/^body: /, "");
  at("result").hidden = false;
  at("message").textContent = here.charAt(0).toUpperCase() + here.slice(1);
  at("message").classList.toggle("fault", Boolean(fault));
}

function chosen() { return models.get(at("model").value); }

// about says what the chosen model is, and fills the names of its columns in where nothing was typed.
function about() {
  const m = chosen();
  if (!m) return;
  const input = m.inputs[0];
  const classes = m.outputs[0].parameters && m.outputs[0].parameters.classes;
  const columns = input.shape[1] === 1 ? "1 column" : input.shape[1] + " columns";
  const method = m.platform.replace("mercer_", ""), version = m.versions[m.versions.length - 1];
  let text = `Model ${m.name} (${method}, version ${version}) reads ${columns} and predicts `;
  if (!classes) text += "a number.";
  else text += `one of ${classes.length} classes: ${classes.slice(0, 12).join(", ")}${classes.length > 12 ? ", ..." : ""}.`;
  at("about").textContent = text;
}

// header fills the names of the columns in, where nothing was typed.
function header() {
  const m = chosen();
  const columns = m && m.inputs[0].parameters && m.inputs[0].parameters.columns;
  if (columns && at("rows").value.trim() === "") {
    at("rows").value = columns.map(quoted).join(",") + "\n";
  }
}

// quoted is a cell of CSV.
function quoted(cell) { return /[",\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell; }

// fields makes one for each column, if the columns are few; what is typed there becomes the one row below.
async function fields() {
  const box = at("fields"), list = JSON.parse(await asked("fields/" + encodeURIComponent(at("model").value))).fields;
  box.replaceChildren(...list.map((f, i) => {
    const field = made(f.words ? "select" : "input");
    if (f.words) field.append(made("option", ""), ...f.words.map(w => made("option", w)));
    if (f.kind === "number") field.inputMode = "decimal";
    if (f.example !== undefined && !f.words) field.placeholder = f.example;
    field.id = "field" + i;
    field.name = f.name;
    field.autocomplete = "off";
    field.addEventListener("input", () => {
      const all = [...box.querySelectorAll("input, select")];
      at("rows").value = all.map(e => quoted(e.name)).join(",") + "\n" + all.map(e => quoted(e.value)).join(",") + "\n";
    });
    const label = made("label", f.name);
    label.htmlFor = field.id;
    const one = made("div", undefined, label, field);
    one.dataset.example = f.example || "";
    return one;
  }));
  box.hidden = list.length === 0;
  at("table").open = list.length === 0;
}

// fill puts the example into the fields.
function fill() {
  for (const one of at("fields").children) one.querySelector("input, select").value = one.dataset.example;
}

const share = v => v === undefined ? "" : (100 * v).toFixed(1) + " %";
const count = (n, what) => n.toLocaleString("en") + " " + what + (n === 1 ? "" : "s");

// expected says how good the fit held the model to be, beside the answer that needs no model.
function expected(c) {
  const e = c.estimate;
  if (!e) {
    return "not recorded: the fit left no row out, or the file is of an older program. " +
      "mercer evaluate measures it on rows whose answers are known.";
  }
  const size = v => e.measure === "error" ? share(v) : v.toPrecision(3);
  let text = e.measure === "error" ? `${size(e.error)} of new rows get a wrong class` : `${size(e.error)} (root mean square)`;
  text += `; ${100 * e.level} % interval: ${size(e.low)} to ${size(e.high)}. `;
  if (e.trivial !== undefined) text += `Always ${c.trivial_answer || "the commonest class"}: ${size(e.trivial)}. `;
  text += `Measured by ${e.from} of ${count(e.rows, "row")}.`;
  return e.corrected ? text : text + " It is too low by what the tuning gained, which saw these rows.";
}

// listed is a table below a caption, the first column of which are words.
function listed(caption, head, rows) {
  const first = made("th", head[0]);
  first.className = "words";
  const top = made("tr", undefined, first, ...head.slice(1).map(t => made("th", t)));
  const body = made("tbody", undefined, ...rows.map(([name, ...cells]) => {
    const th = made("th", name);
    th.scope = "row";
    th.className = "words";
    return made("tr", undefined, th, ...cells.map(t => made("td", t)));
  }));
  const scroll = made("div", undefined, made("table", undefined, made("caption", caption), made("thead", undefined, top), body));
  scroll.className = "scroll";
  scroll.tabIndex = 0;
  return scroll;
}

// card shows what the chosen model is.
async function card() {
  const c = JSON.parse(await asked("model/" + encodeURIComponent(at("model").value)));
  const r = c.rows, columns = count(c.columns, "column");
  const facts = [
    ["predicts", (c.label || "a label") + (c.classes ? `, ${c.classes.length} classes` : ", a number")],
    ["learned from", r ? count(r.labelled, "labelled row") + (r.unlabelled ? `, ${count(r.unlabelled, "row")} without a label` : "") +
      `, of ${columns}` : `rows of ${columns}; how many is not recorded`],
    [c.task === "regression" ? "expected rmse" : "expected error", expected(c)],
    ["method", c.method + (c.kernel ? `, ${c.kernel} kernel` : "") + (c.models > 1 ? `, ${c.models} models together` : "")],
    ["file", `version ${c.version}, written on ${c.written.slice(0, 10)}`],
    ["training rows", c.kept ? `the file holds ${c.kept.toLocaleString("en")} of them` : "the file holds none"],
  ];
  at("facts").replaceChildren(...facts.flatMap(([name, text]) => [made("dt", name), made("dd", text)]));
  const lists = [];
  const known = v => v === undefined ? "\u2013" : share(v);
  if (c.classes && c.classes.some(k => k.share !== undefined)) {
    const found = c.classes.some(k => k.recall !== undefined || k.precision !== undefined);
    lists.push(listed("Classes, and their share of the labels" + (found ? "; recall and precision of rows left out" : ""),
      ["class", "share", ...(found ? ["recall", "precision"] : [])],
      c.classes.map(k => [k.class, known(k.share), ...(found ? [known(k.recall), known(k.precision)] : [])])));
  }
  if (c.relevance) lists.push(listed("Columns that matter most", ["column", "share"], c.relevance.map(k => [k.column, share(k.share)])));
  if (c.members) {
    const rest = c.models - c.members.length;
    lists.push(listed("Models of which the answer is made" + (rest > 0 ? `; ${rest} more have smaller weights` : ""),
      ["method", "kernel", "weight"], c.members.map(k => [(k.class ? k.class + ": " : "") + k.method, k.kernel, k.weight.toPrecision(2)])));
  }
  at("lists").replaceChildren(...lists);
  at("advice").textContent = c.advice;
  at("card").hidden = false;
}

async function begin() {
  try {
    const index = JSON.parse(await asked("v2/repository/index", "{\"ready\": true}"));
    models.clear();
    at("model").replaceChildren();
    for (const name of new Set(index.map(one => one.name))) {
      models.set(name, JSON.parse(await asked("v2/models/" + encodeURIComponent(name))));
      at("model").append(made("option", name));
    }
    at("model-line").hidden = models.size < 2;
    // #NAME chooses a model, and #NAME?example asks for its example.
    const [wanted, more] = decodeURIComponent(location.hash.slice(1)).split("?");
    if (models.has(wanted)) at("model").value = wanted;
    about();
    header();
    await fields();
    await card();
    at("token-line").hidden = true;
    at("result").hidden = true;
    if (more === "example" && await example()) await ask();
  } catch (e) {
    at("about").textContent = "The server's models are not known yet.";
    says(e.message, true);
  }
}

function shares(row, classes) {
  const box = made("div");
  box.className = "shares";
  const order = row.probability.map((p, k) => [p, k]).sort((a, b) => b[0] - a[0]).slice(0, 3);
  for (const [p, k] of order) {
    const bar = made("i");
    bar.style.width = (100 * p).toFixed(1) + "%";
    box.append(made("span", classes[k]), made("span", undefined, bar), made("span", (100 * p).toFixed(1) + " %"));
  }
  return box;
}

// why says which columns move the output most, and which way.
function why(w) {
  const most = Math.max(...w.columns.map(c => Math.abs(c.effect)));
  const body = made("tbody");
  for (const c of w.columns) {
    const bar = made("i");
    bar.style.width = (100 * Math.abs(c.effect) / most).toFixed(1) + "%";
    const way = w.for ? (c.effect > 0 ? "for " + w.for : w.against ? "for " + w.against : "against " + w.for) : c.effect > 0 ? "up" : "down";
    const box = made("td", undefined, bar);
    box.className = "push";
    body.append(made("tr", undefined, made("th", c.name), made("td", String(c.value)), made("td", way), box,
      made("td", c.reference === undefined ? "" : String(c.reference))));
  }
  const head = made("tr", undefined, ...["column", "value", "moves the answer", "by", "compared with"].map(t => made("th", t)));
  const scroll = made("div", undefined, made("table", undefined, made("thead", undefined, head), body));
  scroll.className = "scroll";
  scroll.tabIndex = 0;
  return scroll;
}

function near(row) {
  const names = row.nearest[0].cells.map(c => c[0]);
  const same = row.nearest.every(n => n.cells.length === names.length && n.cells.every((c, i) => c[0] === names[i]));
  const head = made("tr", undefined, ...["row", "distance", "model's answer"].map(t => made("th", t)));
  head.append(...(same ? names : ["largest values"]).map(t => made("th", t)));
  if (row.nearest[0].more) head.append(made("th", "and"));
  const body = made("tbody");
  for (const n of row.nearest) {
    const line = made("tr", undefined, made("th", String(n.row)), made("td", n.distance.toPrecision(3)), made("td", n.prediction));
    if (same) line.append(...n.cells.map(c => made("td", c[1])));
    else line.append(made("td", n.cells.map(c => c[0] + " " + c[1]).join(", ")));
    if (row.nearest[0].more) line.append(made("td", n.more ? n.more + " more" : ""));
    body.append(line);
  }
  const scroll = made("div", undefined, made("table", undefined, made("thead", undefined, head), body));
  scroll.className = "scroll";
  scroll.tabIndex = 0;
  return scroll;
}

function show(answer) {
  at("answers").replaceChildren();
  at("warnings").replaceChildren(...(answer.warnings || []).map(w => made("li", w)));
  answer.rows.forEach((row, i) => {
    const article = made("article", undefined, made("h3", undefined, made("span", `Row ${i + 1}: `), row.prediction));
    if (row.probability) article.append(shares(row, answer.classes));
    if (row.why) {
      const details = made("details", undefined, made("summary", "Why: the columns that move this answer most"), why(row.why));
      details.open = true;
      article.append(details);
    }
    if (row.nearest) {
      const title = `The nearest of the ${answer.kept} rows that the model keeps of those it learned from`;
      const details = made("details", undefined, made("summary", title), near(row));
      details.open = i === 0;
      article.append(details);
    }
    at("answers").append(article);
  });
  const n = answer.rows.length;
  says((n === 1 ? "1 row" : n + " rows") + (answer.without ? ". No nearest rows: " + answer.without + "." : "."));
}

async function ask() {
  if (!chosen()) { await begin(); if (!chosen()) return; }
  at("ask").disabled = true;
  try {
    const answer = JSON.parse(await asked("nearest/" + encodeURIComponent(at("model").value), at("rows").value));
    show(answer);
  } catch (e) {
    at("answers").replaceChildren();
    at("warnings").replaceChildren();
    says(e.message, true);
  }
  at("ask").disabled = false;
}

// example fills an example in and says whether there was one.
async function example() {
  try {
    const text = await asked("example/" + encodeURIComponent(at("model").value));
    at("rows").value = text;
    fill();
    if (/\n./.test(text)) return true;
    says("This model knows no example. Write rows below the names of the columns.");
    at("answers").replaceChildren();
    return false;
  } catch (e) {
    says(e.message, true);
    return false;
  }
}

async function read(file) {
  if (!file) return;
  at("rows").value = await file.text();
  await ask();
}

at("form").addEventListener("submit", e => { e.preventDefault(); ask(); });
at("rows").addEventListener("keydown", e => {
  if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) { e.preventDefault(); ask(); }
});
at("model").addEventListener("change", () => {
  at("rows").value = "";
  about();
  header();
  fields().then(card).catch(e => says(e.message, true));
  location.hash = at("model").value;
});
at("token").addEventListener("change", begin);
at("file").addEventListener("change", e => read(e.target.files[0]));
at("example").addEventListener("click", async () => { await example(); at("rows").focus(); });
addEventListener("dragover", e => { e.preventDefault(); at("rows").classList.add("over"); });
addEventListener("dragleave", () => at("rows").classList.remove("over"));
addEventListener("drop", e => { e.preventDefault(); at("rows").classList.remove("over"); read(e.dataTransfer.files[0]); });
begin();
