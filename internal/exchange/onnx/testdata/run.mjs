// Runs models in onnxruntime-web: node run.mjs FOLDER JOBS, FOLDER that of onnxruntime-web's package, JOBS a file of
// [{"model": PATH, "inputs": {NAME: {"type": "float64", "dims": [n, d], "data": [...]}}}], null for NaN. It prints a list of
// the outputs of each in the same form, or {"error": TEXT}.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, jobs] = process.argv.slice(2);
const ort = await import(pathToFileURL(join(folder, "dist", "ort.node.min.mjs")).href);
ort.env.wasm.numThreads = 1;
ort.env.logLevel = "error";

async function run(job) {
  const session = await ort.InferenceSession.create(readFileSync(job.model));
  const feeds = {};
  for (const [name, { type, dims, data }] of Object.entries(job.inputs)) {
    const array = { float64: Float64Array, float32: Float32Array }[type];
    feeds[name] = new ort.Tensor(type, array ? array.from(data, (v) => v ?? NaN) : data, dims);
  }
  const outputs = {};
  for (const [name, tensor] of Object.entries(await session.run(feeds))) {
    outputs[name] = { type: tensor.type, dims: tensor.dims, data: Array.from(tensor.data, (v) => (typeof v === "bigint" ? Number(v) : v)) };
  }
  return outputs;
}

const answers = [];
for (const job of JSON.parse(readFileSync(jobs))) {
  try {
    answers.push(await run(job));
  } catch (fault) {
    answers.push({ error: String(fault.message ?? fault) });
  }
}
process.stdout.write(JSON.stringify(answers), () => process.exit(0));
