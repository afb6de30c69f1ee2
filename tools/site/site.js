// Search and the list of versions. Both are an addition: without this script every page is reached by its links.
"use strict";

const root = document.documentElement.dataset.root, version = document.documentElement.dataset.version;
const input = document.getElementById("search"), found = document.getElementById("found");
const most = 30; // results that are shown

// lower gives small letters without accents, one for one, so that places in it are places in the text.
const lower = text => Array.from(text, c => {
  const small = c.normalize("NFD")[0].toLowerCase();
  return small.length === c.length ? small : c;
}).join("");

// load fetches the index once, as a script, which pages in a folder may read too.
let loading;
const load = () => loading ??= new Promise((done, failed) => {
  const script = document.createElement("script");
  script.src = root + "search-index.js";
  script.onload = () => {
    for (const e of window.siteIndex) {
      e.title = lower(e.h);
      e.text = lower(e.t);
      e.page = lower(e.p);
    }
    done(window.siteIndex);
  };
  script.onerror = () => failed(new Error("search-index.js is missing beside these pages"));
  document.head.append(script);
});

// begins is how often a word begins in a text, up to ten times, and twice that where it is the whole word.
const begins = (text, word) => {
  let n = 0;
  for (let i = text.indexOf(word); i >= 0 && n < 10; i = text.indexOf(word, i + 1)) {
    if (i === 0 || !/[\p{L}\p{N}]/u.test(text[i - 1])) n += /[\p{L}\p{N}]/u.test(text[i + word.length] ?? " ") ? 1 : 2;
  }
  return n;
};

// rank is the worth of an entry: every word must be there; headings count for more than text, and pages of results for less.
const rank = (e, words) => {
  let worth = 0;
  for (const w of words) {
    const here = 20 * begins(e.title, w) + 5 * begins(e.page, w) + begins(e.text, w);
    if (here === 0) return 0;
    worth += here;
  }
  return e.l.startsWith("docs/results/") ? worth / 4 : worth;
};

// excerpt is the text around the first word that was found, with all of them marked.
const excerpt = (e, words) => {
  const p = document.createElement("p");
  const places = words.map(w => e.text.indexOf(w)).filter(i => i >= 0);
  const from = Math.max(0, Math.min(...places, e.text.length) - 60);
  const start = from === 0 ? 0 : e.text.indexOf(" ", from) + 1, end = Math.min(e.text.length, start + 200);
  let at = start;
  if (start > 0) p.append("… ");
  while (at < end) {
    let next = end, length = 0;
    for (const w of words) {
      const i = e.text.indexOf(w, at);
      if (i >= 0 && i < next) [next, length] = [i, w.length];
    }
    p.append(e.t.slice(at, next));
    if (length) {
      const mark = document.createElement("mark");
      mark.textContent = e.t.slice(next, next + length);
      p.append(mark);
    }
    at = next + length;
  }
  if (end < e.text.length) p.append(" …");
  return p;
};

const show = async () => {
  const words = lower(input.value).split(/\s+/).filter(Boolean);
  if (words.length === 0) {
    found.hidden = true;
    found.replaceChildren();
    return;
  }
  let entries;
  try {
    entries = await load();
  } catch (fault) {
    found.hidden = false;
    found.textContent = fault.message;
    return;
  }
  const ranked = entries.map(e => [rank(e, words), e]).filter(([worth]) => worth > 0).sort((a, b) => b[0] - a[0]);
  const count = document.createElement("p");
  count.className = "where";
  count.textContent = ranked.length === 0 ? "Nothing was found." :
    ranked.length > most ? `The first ${most} of ${ranked.length} places.` :
      `${ranked.length} ${ranked.length === 1 ? "place" : "places"}.`;
  const list = document.createElement("ol");
  for (const [, e] of ranked.slice(0, most)) {
    const line = document.createElement("li"), link = document.createElement("a"), where = document.createElement("span");
    link.href = root + e.l;
    link.textContent = e.h;
    link.addEventListener("click", close);
    where.className = "where";
    where.textContent = e.h === e.p ? "" : " " + e.p;
    line.append(link, where, excerpt(e, words));
    list.append(line);
  }
  found.replaceChildren(count, list);
  found.hidden = false;
};

const close = () => {
  found.hidden = true;
};

// move goes through the field and the results with the arrows.
const move = step => {
  const stops = [input, ...found.querySelectorAll("a")];
  const i = stops.indexOf(document.activeElement);
  if (i < 0) return false;
  stops[Math.min(stops.length - 1, Math.max(0, i + step))].focus();
  return true;
};

input.form.hidden = false;
input.addEventListener("input", show);
input.form.addEventListener("submit", event => {
  event.preventDefault();
  const first = found.querySelector("a");
  if (first && !found.hidden) first.click();
  else show();
});
document.addEventListener("keydown", event => {
  const busy = event.altKey || event.ctrlKey || event.metaKey || /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName);
  if (event.key === "/" && !busy) {
    input.focus();
  } else if (event.key === "Escape" && !found.hidden) {
    close();
    input.focus();
  } else if (!found.hidden && (event.key === "ArrowDown" || event.key === "ArrowUp") && move(event.key === "ArrowDown" ? 1 : -1)) {
    // the arrow is used up
  } else {
    return;
  }
  event.preventDefault();
});

const asked = new URLSearchParams(location.search).get("q");
if (asked) {
  input.value = asked;
  show();
}

// The list of versions is written anew with each version, so that old pages know of new ones.
if (window.siteVersions?.length > 1) {
  const link = document.getElementById("versions"), select = document.createElement("select");
  select.setAttribute("aria-label", "Version");
  for (const v of window.siteVersions) select.add(new Option(v, v, v === version, v === version));
  select.addEventListener("change", () => { location.href = `${root}../${select.value}/index.html`; });
  link.replaceWith(select);
}
