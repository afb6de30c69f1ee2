// The page: points are drawn, a worker learns, and its answer is shown. Points have x from 0 to 1.5 and y from 0 to 1, upwards.
"use strict";

const width = 1.5, height = 1, columns = 120, rows = 80, most = 600;
const at = id => document.getElementById(id);
const plane = at("plane"), pen = plane.getContext("2d");
const state = {
  points: [], history: [], asked: null, shown: null, answer: null, seconds: 0, begun: 0, hosts: [], cross: { x: width / 2, y: height / 2 },
};
window.mercerTry = state;

let worker, module, waiting = false;
let loaded = false; // the worker has Mercer, and learns when it is asked
let example = true; // the drawing is that of the page, and nothing was asked yet

const say = (text, kind) => {
  at("status").textContent = text;
  document.body.dataset.state = kind;
};

const fault = text => {
  at("fault").textContent = text;
  at("fault").hidden = !text;
};

// start begins a worker, with the compiled program if it is there.
const start = () => {
  loaded = false;
  worker = new Worker("worker.js");
  worker.onmessage = event => {
    if (typeof event.data !== "string") {
      module = event.data.module;
      state.hosts.push(...event.data.hosts);
      if (document.body.dataset.state === "loading") say("Mercer is here, and practises on a drawing of its own.", "loading");
      return;
    }
    const told = JSON.parse(event.data);
    ({ ready, answer, fault: failed, progress, ended })[told.kind](told);
  };
  worker.onerror = event => ended({ fault: event.message || "the worker could not begin" });
  worker.postMessage({ kind: "start", module });
};

const ready = () => {
  loaded = true;
  at("learn").disabled = false;
  if (document.body.dataset.state !== "loading") return;
  say("Mercer is here. Draw points, and press Learn.", "ready");
  if (example) learn();
};

const progress = told => {
  at("status").textContent = told.total ? `Mercer learns: ${told.done} of ${told.total} machines.` : "Mercer learns.";
};

const failed = told => {
  waiting = example = false;
  at("cancel").disabled = true;
  at("learn").disabled = !loaded;
  fault(told.fault);
  say("Nothing was learned.", "failed");
};

// ended takes another worker in the place of one that is of no use any more. Where Mercer was never there it would not come either.
const ended = told => {
  const again = loaded;
  loaded = false;
  failed(told);
  if (!again) return;
  worker.terminate();
  start();
};

const send = () => {
  state.asked = { points: state.points.map(p => [p.x, p.y]), labels: state.points.map(p => p.label), method: at("method").value,
    width, height, columns, rows };
  worker.postMessage({ kind: "learn", request: JSON.stringify(state.asked) });
};

const learn = () => {
  if (waiting || at("learn").disabled) return;
  waiting = true;
  fault("");
  state.begun = performance.now();
  at("learn").disabled = true;
  at("cancel").disabled = false;
  say("Mercer learns.", "learning");
  send();
};

const cancel = () => {
  if (!waiting) return;
  example = false;
  waiting = false;
  worker.terminate();
  at("cancel").disabled = true;
  say("Cancelled. What was learned before is still shown.", "cancelled");
  plane.focus();
  start();
};

const answer = told => {
  if (!waiting) return;
  waiting = false;
  state.answer = told.answer;
  state.shown = state.asked;
  at("cancel").disabled = true;
  at("learn").disabled = false;
  draw();
  state.seconds = (performance.now() - state.begun) / 1000;
  const shown = example;
  example = false;
  const a = state.answer, labelled = state.asked.labels.filter(k => k).length, all = state.asked.labels.length;
  at("points").textContent = `${labelled} with a colour, ${all - labelled} without`;
  at("time").textContent = `${a.learned.toFixed(2)} s to learn, ${a.drawn.toFixed(2)} s to colour the plane`;
  at("tried").textContent = a.tried;
  at("found").textContent = a.found || "a mean of machines";
  at("error").textContent = a.error;
  at("answer").hidden = false;
  const seconds = state.seconds.toFixed(2);
  say(shown ? `Learned and drawn in ${seconds} s: an example of two moons. Draw your own, and press Learn.` :
    `Learned and drawn ${seconds} s after you asked.`, "done");
};

const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const rgb = name => [1, 3, 5].map(i => parseInt(css(name).slice(i, i + 2), 16));
const place = p => [p.x / width * plane.width, (1 - p.y / height) * plane.height];

// region paints the probabilities: the colour of the likelier class, the stronger the surer it is.
const region = () => {
  const one = rgb("--one"), two = rgb("--two"), paper = rgb("--paper"), p = state.answer.plane;
  const small = new OffscreenCanvas(columns, rows), brush = small.getContext("2d"), image = brush.createImageData(columns, rows);
  p.forEach((v, i) => {
    const colour = v < 0.5 ? one : two, share = 0.1 + 1.0 * Math.abs(v - 0.5);
    colour.forEach((c, k) => { image.data[4 * i + k] = share * c + (1 - share) * paper[k]; });
    image.data[4 * i + 3] = 255;
  });
  brush.putImageData(image, 0, 0);
  pen.imageSmoothingEnabled = true;
  pen.drawImage(small, 0, 0, plane.width, plane.height);
};

// border draws where both classes are as likely: of each square of four cells, from side to side where the sign changes.
const border = () => {
  const p = (i, j) => state.answer.plane[i * columns + j] - 0.5;
  const w = plane.width / columns, h = plane.height / rows;
  pen.strokeStyle = css("--ink");
  pen.lineWidth = 3;
  pen.beginPath();
  for (let i = 0; i + 1 < rows; i++) {
    for (let j = 0; j + 1 < columns; j++) {
      const a = p(i, j), b = p(i, j + 1), c = p(i + 1, j + 1), d = p(i + 1, j), cut = [];
      const x = (j + 0.5) * w, y = (i + 0.5) * h, between = (u, v) => u / (u - v);
      if (a < 0 !== b < 0) cut.push([x + between(a, b) * w, y]);
      if (b < 0 !== c < 0) cut.push([x + w, y + between(b, c) * h]);
      if (d < 0 !== c < 0) cut.push([x + between(d, c) * w, y + h]);
      if (a < 0 !== d < 0) cut.push([x, y + between(a, d) * h]);
      for (let q = 0; q + 1 < cut.length; q += 2) {
        pen.moveTo(...cut[q]);
        pen.lineTo(...cut[q + 1]);
      }
    }
  }
  pen.stroke();
};

const draw = () => {
  pen.fillStyle = css("--paper");
  pen.fillRect(0, 0, plane.width, plane.height);
  if (state.answer) {
    region();
    border();
  }
  const colours = [css("--none"), css("--one"), css("--two")];
  const given = new Map(state.answer ? state.shown.points.map((p, i) => [p.join(), state.answer.class[i]]) : []);
  for (const p of state.points) {
    pen.beginPath();
    pen.arc(...place(p), p.label ? 13 : 8, 0, 2 * Math.PI);
    pen.fillStyle = p.label ? colours[p.label] : css("--paper");
    pen.strokeStyle = p.label ? css("--ink") : colours[given.get([p.x, p.y].join()) ?? 0];
    pen.lineWidth = p.label ? 3 : 4;
    pen.fill();
    pen.stroke();
  }
  if (document.activeElement === plane) {
    const [x, y] = place(state.cross);
    pen.strokeStyle = css("--ink");
    pen.lineWidth = 2;
    pen.beginPath();
    pen.moveTo(x - 20, y); pen.lineTo(x + 20, y);
    pen.moveTo(x, y - 20); pen.lineTo(x, y + 20);
    pen.stroke();
  }
  const n = [0, 1, 2].map(k => state.points.filter(p => p.label === k).length);
  at("counts").textContent = `${n[1]} orange, ${n[2]} purple, ${n[0]} without a colour; at most ${most}.`;
};

const remember = () => {
  if (!waiting) example = false;
  state.history.push(state.points.slice());
  if (state.history.length > 100) state.history.shift();
};

const put = (where, label) => {
  if (state.points.length >= most) {
    fault(`There are ${most} points, which is all that this page learns from.`);
    return;
  }
  state.points.push({ x: where.x, y: where.y, label });
};

const near = where => state.points.reduce((best, p) => {
  const d = Math.hypot(p.x - where.x, p.y - where.y);
  return d < best.d ? { d, p } : best;
}, { d: 0.06, p: null }).p;

const erase = where => {
  const gone = near(where);
  state.points = state.points.filter(p => p !== gone);
};

const tool = () => document.querySelector("input[name=tool]:checked").value;
const use = where => { tool() === "erase" ? erase(where) : put(where, Number(tool())); };

let last = null;
const under = event => {
  const box = plane.getBoundingClientRect(), within = (v, top) => Math.min(top, Math.max(0, v));
  return { x: within((event.clientX - box.left) / box.width * width, width),
    y: within((1 - (event.clientY - box.top) / box.height) * height, height) };
};
plane.addEventListener("pointerdown", event => {
  remember();
  last = under(event);
  state.cross = last;
  use(last);
  if (event.isTrusted) plane.setPointerCapture(event.pointerId);
  draw();
});
plane.addEventListener("pointermove", event => {
  const where = under(event);
  if (!last || Math.hypot(where.x - last.x, where.y - last.y) < 0.04) return;
  last = where;
  use(where);
  draw();
});
for (const end of ["pointerup", "pointercancel"]) plane.addEventListener(end, () => { last = null; });

plane.addEventListener("keydown", event => {
  const step = event.shiftKey ? 0.01 : 0.05, c = state.cross;
  const move = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
  if (move) {
    state.cross = { x: Math.min(width, Math.max(0, c.x + step * move[0])), y: Math.min(height, Math.max(0, c.y + step * move[1])) };
  } else if (["0", "1", "2"].includes(event.key)) {
    remember();
    put(c, Number(event.key));
  } else if (event.key === "Delete" || event.key === "Backspace") {
    remember();
    erase(c);
  } else if (event.key === "Enter") {
    learn();
  } else {
    return;
  }
  event.preventDefault();
  draw();
});
plane.addEventListener("focus", draw);
plane.addEventListener("blur", draw);

// moons draws 60 points on each of two half circles, with noise, three of each with their colour; each time others.
let drawings = 0;
const moons = () => {
  remember();
  let seed = ++drawings * 2654435761 % 4294967296;
  const random = () => { seed = (1664525 * seed + 1013904223) % 4294967296; return seed / 4294967296; };
  const noise = () => 0.03 * (random() + random() + random() + random() - 2);
  state.points = [];
  for (let i = 0; i < 60; i++) {
    const angle = Math.PI * (i + 0.5) / 60, x = Math.cos(angle), y = Math.sin(angle), label = i === 8 || i === 30 || i === 51;
    state.points.push({ x: 0.6 + 0.37 * x + noise(), y: 0.45 + 0.4 * y + noise(), label: label ? 1 : 0 });
    state.points.push({ x: 0.9 - 0.37 * x + noise(), y: 0.58 - 0.4 * y + noise(), label: label ? 2 : 0 });
  }
  forget();
};

const forget = () => {
  state.answer = null;
  at("answer").hidden = true;
  fault("");
  draw();
};

at("moons").addEventListener("click", moons);
at("clear").addEventListener("click", () => { remember(); state.points = []; forget(); });
at("undo").addEventListener("click", () => {
  if (!waiting) example = false;
  state.points = state.history.pop() ?? state.points;
  draw();
});
at("learn").addEventListener("click", learn);
at("cancel").addEventListener("click", cancel);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);

moons();
example = true;
if (typeof WebAssembly === "undefined" || typeof DecompressionStream === "undefined") {
  failed({ fault: "This browser cannot run WebAssembly, or cannot unpack it; take a newer one." });
} else {
  start();
}
