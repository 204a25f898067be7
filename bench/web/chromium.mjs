// Times models in WebAssembly beside onnxruntime-web, in Chromium:
//
//   npm install --ignore-scripts onnxruntime-web     in any folder
//   go build -o concord ./cmd/concord
//   node bench/web/chromium.mjs --concord ./concord --ort FOLDER/node_modules [--threads N] [--rounds N] [--cold N] [--exact] MODEL.onnx…
//
// In a worker both run each model in turns, first on one thread, then in another worker on as many as --threads says (2). Then, --cold times (7) in turns, a
// new browser without any cache leaves a page of another site for one that loads the first model and runs it once on one thread: it prints the times from
// navigation to the first result, and the bytes that were sent. --exact takes the modules without relaxed SIMD; models.mjs says how shapes and values are given.
import { execFileSync, spawn } from "node:child_process";
import { createServer } from "node:http";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { basename, dirname, extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { brotliCompressSync, constants } from "node:zlib";
import { least, line, median, modelOf } from "./models.mjs";

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    concord: { type: "string" },
    ort: { type: "string" },
    chromium: { type: "string", default: "chromium" },
    rounds: { type: "string", default: "30" },
    threads: { type: "string", default: "2" },
    cold: { type: "string", default: "7" },
    exact: { type: "boolean", default: false },
  },
});
if (!flags.concord || !flags.ort || positionals.length === 0) {
  console.error("usage: node chromium.mjs --concord BINARY --ort node_modules [--chromium PROGRAM] [--rounds N] [--threads N] [--cold N] [--exact] MODEL.onnx…");
  process.exit(2);
}
const models = positionals.map(modelOf);
const here = dirname(fileURLToPath(import.meta.url));
const work = mkdtempSync(join(tmpdir(), "concord-web-"));
const ort = resolve(flags.ort, "onnxruntime-web");

// What is served, by the first part of the path.
const page = (script) => `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><script type="module">${script}</script>`;
const post = `const post = (value) => fetch("/result", { method: "POST", body: JSON.stringify(value) });`;
const pages = {
  "/turns": page(`${post}
    const { rounds, exact, models } = ${JSON.stringify({ rounds: Number(flags.rounds), exact: flags.exact, models: models.map((m, i) => ({ i, values: m.values })) })};
    const threads = Number(new URLSearchParams(location.search).get("threads"));
    const w = new Worker("/script/turns.mjs", { type: "module" });
    w.onmessage = ({ data }) => post(data);
    w.onerror = (e) => post({ error: e.message });
    w.postMessage({ threads, rounds, exact, models });`),
  // A page of another site, which leads on when the browser has done what it does at its start.
  "/start": page(`setTimeout(() => location.replace("http://localhost:" + location.port + new URLSearchParams(location.search).get("to")), 3000);`),
  "/cold-concord": page(`${post}
    import { drawn } from "/script/models.mjs";
    import { load } from "/model/0/model.js";
    const model = await load();
    model.run(Object.fromEntries(model.inputs.map((input) => [input.name, drawn(input, ${JSON.stringify(models[0].values)})])));
    post({ took: performance.now(), exact: model.exact });`),
  "/cold-ort": page(`${post}
    import { drawn } from "/script/models.mjs";
    import * as ort from "/ort/ort.wasm.bundle.min.mjs";
    ort.env.wasm.numThreads = 1;
    ort.env.wasm.wasmPaths = "/ort/";
    const session = await ort.InferenceSession.create("/model/0/model.onnx", { executionProviders: ["wasm"] });
    const inputs = await (await fetch("/inputs")).json();
    await session.run(Object.fromEntries(inputs.map((input) => [input.name, new ort.Tensor(input.type, drawn(input, ${JSON.stringify(models[0].values)}), input.shape)])));
    post({ took: performance.now() });`),
};
const folders = { script: () => here, ort: () => join(ort, "dist"), model: (i) => join(work, i) };
const types = { ".mjs": "text/javascript", ".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html" };

let inputs; // of the first model, for the page that has only the other runtime
let told; // the result of the page that is open
let sent; // the files that it was sent

function contentOf(path) {
  if (pages[path]) {
    return [pages[path], "text/html; charset=utf-8"];
  }
  if (path === "/inputs") {
    return [JSON.stringify(inputs), "application/json"];
  }
  const parts = path.split("/").slice(1);
  const rest = parts[0] === "model" ? parts.slice(2) : parts.slice(1);
  return [readFileSync(join(folders[parts[0]](parts[1]), ...rest.map((part) => basename(part)))), types[extname(path)] ?? "application/octet-stream"];
}

const server = createServer(async (request, response) => {
  const { pathname } = new URL(request.url, "http://localhost");
  if (request.method === "POST") {
    let body = "";
    for await (const part of request) {
      body += part;
    }
    response.end();
    told(JSON.parse(body));
    return;
  }
  try {
    const [content, type] = contentOf(pathname);
    if (pathname !== "/start") {
      sent.push(Buffer.from(content));
    }
    response.writeHead(200, {
      "Content-Type": type,
      "Cache-Control": "no-store",
      "Cross-Origin-Opener-Policy": "same-origin",
      "Cross-Origin-Embedder-Policy": "require-corp",
    });
    response.end(content);
  } catch (e) {
    response.writeHead(404);
    response.end(String(e));
  }
});

// Opens a page in a browser of its own, and returns what it tells.
async function opened(path, host = "localhost") {
  const profile = mkdtempSync(join(work, "profile-"));
  sent = [];
  const result = new Promise((resolve) => (told = resolve));
  const url = `http://${host}:${server.address().port}${path}`;
  const browser = spawn(flags.chromium, ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-component-update", `--user-data-dir=${profile}`, url], { stdio: "ignore" });
  const ended = new Promise((resolve) => browser.on("exit", resolve));
  const value = await Promise.race([result, ended.then(() => ({ error: "the browser has ended" }))]);
  browser.kill();
  await ended;
  if (value.error) {
    throw new Error(`${path}: ${value.error}`);
  }
  return value;
}

async function cold() {
  const took = { "/cold-concord": [], "/cold-ort": [] };
  const bytes = {};
  for (let i = 0; i < Number(flags.cold); i++) {
    for (const path of Object.keys(took)) {
      took[path].push((await opened(`/start?to=${path}`, "127.0.0.1")).took);
      bytes[path] ??= sent;
    }
  }
  const size = (list) => list.reduce((sum, b) => sum + b.length, 0) / 1024;
  const small = (b) => brotliCompressSync(b, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } });
  const [x, y] = Object.values(took);
  console.log(line(`${basename(models[0].path)}, from navigation to the first result`, { times: [x, y] }));
  for (const [path, list] of Object.entries(bytes)) {
    console.log(`${path.slice(6)}: ${list.length} files, ${size(list).toFixed(0)} KiB, with brotli ${size(list.map(small)).toFixed(0)} KiB`);
  }
  console.log(`ratios: median ${(median(x) / median(y)).toFixed(2)}, least ${(least(x) / least(y)).toFixed(2)}`);
}

try {
  models.forEach(({ path, shapes }, i) => {
    const dir = join(work, String(i));
    execFileSync(flags.concord, ["export", "--wasm", path, "-o", dir, "--name", "model", "--page", "", ...shapes], { stdio: ["ignore", "ignore", "inherit"] });
    execFileSync("cp", [path, join(dir, "model.onnx")]);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const version = JSON.parse(readFileSync(join(ort, "package.json"))).version;
  const browser = execFileSync(flags.chromium, ["--version"]).toString().trim();
  console.log(`onnxruntime-web ${version}, ${browser}, ${cpus()[0].model}, ${cpus().length} processors`);
  for (const threads of new Set([1, Number(flags.threads)])) {
    for (const { i, exact, used, inputs: list, ...result } of await opened(`/turns?threads=${threads}`)) {
      inputs ??= list;
      console.log(line(`${basename(models[i].path)}, ${used} thread${used > 1 ? "s" : ""}${exact ? " (exact)" : ""}`, result));
    }
  }
  if (Number(flags.cold) > 0) {
    await cold();
  }
} finally {
  server.closeAllConnections();
  server.close();
  rmSync(work, { recursive: true, maxRetries: 20, retryDelay: 100 }); // the browser's processes end one after the other
}
