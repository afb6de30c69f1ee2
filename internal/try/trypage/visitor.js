// A person uses the page: draws two moons and learns them, forgets a colour, draws by keyboard and pointer, cancels, goes on.
const frame = document.querySelector("iframe");
const until = async (what, test) => {
  for (let i = 0; i < 6000; i++) { if (test()) return; await new Promise(r => setTimeout(r, 10)); }
  throw new Error("waited in vain for " + what);
};
frame.addEventListener("load", async () => {
  const seen = { Moons: [] };
  try {
    const page = frame.contentDocument, view = frame.contentWindow;
    const at = id => page.getElementById(id), is = kind => page.body.dataset.state === kind;
    const learned = () => {
      const m = view.mercerTry, c = at("plane"), colours = new Set();
      const pixels = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
      for (let i = 0; i < pixels.length; i += 4) colours.add(pixels[i] << 16 | pixels[i + 1] << 8 | pixels[i + 2]);
      return { Request: m.shown, Answer: m.answer, Seconds: m.seconds, Status: at("status").textContent, Colours: colours.size };
    };
    const press = (element, key) =>
      element.dispatchEvent(new view.KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    const point = (kind, x, y) => {
      const box = at("plane").getBoundingClientRect();
      at("plane").dispatchEvent(new view.PointerEvent(kind, { clientX: box.left + x * box.width, clientY: box.top + y * box.height,
        pointerId: 1, bubbles: true }));
    };
    await until("Mercer", () => !at("learn").disabled);
    seen.Example = learned(); // nothing was pressed
    seen.Above = at("plane").getBoundingClientRect().bottom <= at("tools").getBoundingClientRect().top;
    page.body.dataset.state = "ready";
    let before = performance.now();
    seen.Longest = 0;
    const tick = now => {
      if (is("learning")) seen.Longest = Math.max(seen.Longest, (now - before) / 1000);
      before = now;
      view.requestAnimationFrame(tick);
    };
    view.requestAnimationFrame(tick);
    for (let n = 0; n < moons; n++) {
      at("moons").click();
      at("learn").click();
      await until("moons", () => is("done") || is("failed"));
      if (is("failed")) throw new Error(at("fault").textContent);
      seen.Moons.push(learned());
      page.body.dataset.state = "ready";
    }

    at("clear").click();
    at("plane").focus();
    press(at("plane"), "1");
    press(at("plane"), "Enter");
    await until("a complaint", () => is("failed"));
    seen.Fault = at("fault").textContent;
    for (let n = 0; n < 6; n++) press(at("plane"), "ArrowRight");
    press(at("plane"), "ArrowUp");
    press(at("plane"), "2");
    press(at("plane"), "0");
    press(at("plane"), "Delete"); // one of the two
    page.querySelector("input[value='0']").click();
    point("pointerdown", 0.2, 0.2);
    for (let n = 1; n <= 20; n++) point("pointermove", 0.2 + 0.03 * n, 0.2 + 0.02 * n);
    point("pointerup", 0.8, 0.6);
    point("pointermove", 0.1, 0.9);
    page.querySelector("input[value='2']").click();
    point("pointerdown", 0.9, 0.7);
    point("pointerup", 0.9, 0.7);
    press(at("plane"), "Enter");
    await until("the drawing", () => is("done"));
    seen.ByKeys = learned();

    at("moons").click();
    at("method").value = "auto";
    at("learn").click();
    await until("a long fit", () => /of/.test(at("status").textContent));
    at("cancel").click();
    seen.Cancelled = at("status").textContent;
    await until("another worker", () => !at("learn").disabled);
    at("method").value = "lap-rls";
    press(at("plane"), "Enter");
    await until("moons again", () => is("done"));
    seen.Again = learned();

    const box = e => e.getBoundingClientRect();
    const shown = [...page.querySelectorAll("h1, h2, p, dt, dd, label, button, select, canvas, kbd")].filter(e => box(e).width > 0);
    seen.Width = view.innerWidth;
    seen.Scroll = page.documentElement.scrollWidth;
    const outside = shown.filter(e => box(e).right > view.innerWidth + 1 || box(e).left < -1);
    seen.Outside = outside.map(e => e.tagName + " " + e.textContent.slice(0, 40));
    seen.Small = [...page.querySelectorAll("button, select, fieldset label")].filter(e => box(e).height < 40).map(e => e.textContent);
    seen.Unnamed = [...page.querySelectorAll("input, select")].filter(e => e.labels.length === 0).map(e => e.id);
    seen.Paper = view.getComputedStyle(page.body).backgroundColor;
    const asked = view.performance.getEntriesByType("resource").map(e => new URL(e.name));
    const own = asked.filter(u => u.protocol !== "data:").map(u => u.host);
    seen.Hosts = [...new Set([...own, ...view.mercerTry.hosts])];
  } catch (e) { seen.Failed = String(e); }
  await fetch("/seen", { method: "POST", body: JSON.stringify(seen) });
});
