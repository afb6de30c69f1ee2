// The worker holds Mercer, so that the page can go on while it learns. It is ended by Cancel, and a new one begins with the
// compiled module that the page has kept.
"use strict";
importScripts("wasm_exec.js");

const program = async () => {
  const packed = await fetch("mercer.wasm.gz");
  if (!packed.ok) throw new Error(`mercer.wasm.gz: ${packed.status}; run "make try" and load the page again`);
  const bytes = await packed.arrayBuffer(), first = new Uint8Array(bytes, 0, 2);
  if (first[0] !== 0x1f || first[1] !== 0x8b) return WebAssembly.compile(bytes); // a server has unpacked it
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(plain).arrayBuffer());
};

onmessage = async event => {
  try {
    if (event.data.kind === "learn") {
      mercerLearn(event.data.request);
      return;
    }
    const module = event.data.module ?? await program();
    const hosts = [...new Set(performance.getEntriesByType("resource").map(e => new URL(e.name).host))];
    postMessage({ module, hosts });
    const go = new Go();
    await go.run(await WebAssembly.instantiate(module, go.importObject)); // which waits for requests as long as nothing goes wrong
    throw new Error("Mercer broke off. Change the drawing or the method, and learn again; and please report it.");
  } catch (error) {
    postMessage(JSON.stringify({ kind: "ended", fault: String(error.message ?? error) }));
  }
};
