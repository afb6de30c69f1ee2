// What onnxruntime-web answers: node answers.mjs FOLDER JOBS, FOLDER that of its package, JOBS a file of
// [{"graph": PATH, "columns": [NAME, ...], "cells": [[number, text, date or null, ...], ...]}]. It prints a list of
// {"labels": [...] or null, "values": {"score": [...], "probability": [...]} or {"prediction": [...]}}, row by row.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, jobs] = process.argv.slice(2);
const ort = await import(pathToFileURL(join(folder, "dist", "ort.node.min.mjs")).href);
ort.env.wasm.numThreads = 1;
ort.env.logLevel = "error";

async function answers({ graph, columns, cells }) {
  const session = await ort.InferenceSession.create(readFileSync(graph));
  const seconds = (date) => Date.parse(`${date.replace(" ", "T")}Z`) / 1000;
  const number = (v) => (typeof v === "string" ? seconds(v) : v ?? NaN);
  const doubles = (list, width) => new ort.Tensor("float64", Float64Array.from(list, number), [cells.length, width]);
  const feeds = {};
  for (const { name, type } of session.inputMetadata) {
    if (name === "rows") {
      feeds[name] = doubles(cells.flat(), columns.length);
      continue;
    }
    const column = cells.map((row) => row[columns.indexOf(name)]);
    feeds[name] = type === "string" ? new ort.Tensor("string", column.map((v) => String(v ?? "")), [cells.length, 1]) : doubles(column, 1);
  }
  const { label, scores: score, probabilities: probability, prediction } = await session.run(feeds);
  const values = Object.entries({ score, probability, prediction }).filter(([, tensor]) => tensor);
  return { labels: label ? Array.from(label.data) : null, values: Object.fromEntries(values.map(([kind, t]) => [kind, Array.from(t.data)])) };
}

const list = [];
for (const job of JSON.parse(readFileSync(jobs))) list.push(await answers(job));
process.stdout.write(JSON.stringify(list), () => process.exit(0));
