// Times models in WebAssembly beside onnxruntime-web, in Node, both on one thread and in turns:
//
//   npm install --ignore-scripts onnxruntime-web     in any folder
//   go build -o concord ./cmd/concord
//   node --experimental-wasm-relaxed-simd bench/web/compare.mjs --concord ./concord --ort FOLDER/node_modules MODEL.onnx…
//
// It prints for each model the medians and least times in milliseconds, their ratios (below 1 is faster), and how far the first outputs are apart.
// --exact takes the module without relaxed SIMD; --rounds N, 20 by default, says how often each model runs. models.mjs says how shapes and values are given.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { pathToFileURL } from "node:url";
import { alternate, line, modelOf } from "./models.mjs";

const { values: flags, positionals: models } = parseArgs({
  allowPositionals: true,
  options: { concord: { type: "string" }, ort: { type: "string" }, rounds: { type: "string", default: "20" }, exact: { type: "boolean", default: false } },
});
if (!flags.concord || !flags.ort || models.length === 0) {
  console.error("usage: node compare.mjs --concord BINARY --ort node_modules [--rounds N] [--exact] MODEL.onnx…");
  process.exit(2);
}
const ort = await import(pathToFileURL(resolve(flags.ort, "onnxruntime-web/dist/ort.node.min.mjs")));
ort.env.wasm.numThreads = 1;
ort.env.logLevel = "error";

async function compare({ path, shapes, values }) {
  const dir = mkdtempSync(join(tmpdir(), "concord-web-"));
  try {
    const args = ["export", "--wasm", path, "-o", dir, "--name", "model", "--page", "", ...shapes];
    execFileSync(flags.concord, args, { stdio: ["ignore", "ignore", "inherit"] });
    const { load } = await import(pathToFileURL(join(dir, "model.js")));
    const model = await load(flags.exact ? { exact: true } : {});
    const session = await ort.InferenceSession.create(readFileSync(path), { executionProviders: ["wasm"], logSeverityLevel: 3 });
    const result = await alternate(ort, model, session, values, Number(flags.rounds));
    console.log(line(basename(path) + (model.exact ? " (exact)" : ""), result));
  } finally {
    rmSync(dir, { recursive: true });
  }
}

for (const model of models.map(modelOf)) {
  await compare(model);
}
