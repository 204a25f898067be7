// Builds and runs what is written, with every key.
import { install, levelOf } from "./concord-webnn/concord-webnn.js";
import { pixels } from "./pixels.js";
import { presets } from "./presets.js";
import { paint } from "./scene.js";

const $ = (id) => document.getElementById(id);
const before = $("before"), after = $("after");
const largest = 480; // pixels on the longer side, so that what is typed is seen at once

// Concord's, also where the browser has a WebNN of its own: that one may have other bits, and does not say what is wrong.
const ml = install({ always: true });

/** The picture as [1, 3, height, width], from 0 to 1. */
function tensorOf(canvas) {
  const { width, height } = canvas, n = width * height;
  const { data } = canvas.getContext("2d", { willReadFrequently: true }).getImageData(0, 0, width, height);
  const x = new Float32Array(3 * n);
  for (let i = 0; i < n; i++) {
    for (let c = 0; c < 3; c++) {
      x[c * n + i] = data[4 * i + c] / 255;
    }
  }
  return x;
}

/** Shows [1, 3 or 1, height, width]. */
function show(y, [, channels, height, width]) {
  const n = width * height, image = new ImageData(width, height);
  for (let i = 0; i < n; i++) {
    for (let c = 0; c < 3; c++) {
      image.data[4 * i + c] = 255 * y[(channels === 3 ? c : 0) * n + i] + 0.5;
    }
    image.data[4 * i + 3] = 255;
  }
  if (after.width !== width || after.height !== height) {
    after.width = width;
    after.height = height;
  }
  after.getContext("2d").putImageData(image, 0, 0);
}

/** Says what went wrong: of the code, or of anything else. */
function complain(e) {
  $("message").textContent = `${e.name}: ${e.message}`;
  $("code").classList.add("wrong");
  window.result = { error: `${e.name}: ${e.message}` };
}

let context;

/** Makes a context, at first and when the last one is lost. */
async function start() {
  const mine = (context = await ml.createContext());
  mine.lost.then(({ message }) => {
    if (context === mine) {
      context = current = undefined;
      complain(new Error(`the context is lost: ${message}`));
    }
  });
}

/** Makes the graph of what is written for pictures of a shape. */
async function build(code, shape) {
  const b = new MLGraphBuilder(context);
  const x = b.input("x", { dataType: "float32", shape });
  let y = new Function("b", "x", `"use strict";\n${code}`)(b, x);
  if (!(y instanceof MLOperand)) {
    throw new TypeError("the code must return an operand");
  }
  if (y.dataType !== "float32" || y.shape.length !== 4 || ![1, 3].includes(y.shape[1])) {
    throw new TypeError(`the code returns ${y.dataType} [${y.shape}]; a picture is float32 [1, 3, height, width] or [1, 1, height, width]`);
  }
  return { graph: await b.build({ y: b.identity(y) }), shape: [...y.shape] };
}

// What runs now: a graph and its tensors. Only the last that was asked for counts.
let current, request = 0;

function drop() {
  const objects = current ? [current.graph, ...current.tensors] : [];
  current = undefined;
  objects.forEach((object) => object.destroy());
}

const renew = () => remake().catch(complain);

async function remake() {
  const mine = ++request;
  drop(); // what ran so far must not show results that are taken for those of the code
  const shape = [1, 3, before.height, before.width];
  $("shape").textContent = `[${shape.join(", ")}]`;
  if (!context) {
    await start();
  }
  const began = performance.now();
  let made;
  try {
    made = await build($("code").value, shape);
  } catch (e) {
    if (mine === request) {
      complain(e);
    }
    return;
  }
  const built = performance.now() - began;
  if (mine !== request) {
    made.graph.destroy();
    return;
  }
  const tensors = await Promise.all([
    context.createTensor({ dataType: "float32", shape, writable: true }),
    context.createTensor({ dataType: "float32", shape: made.shape, readable: true }),
  ]);
  if (mine !== request) {
    [made.graph, ...tensors].forEach((object) => object.destroy());
    return;
  }
  current = { ...made, tensors, input: shape };
  $("code").classList.remove("wrong");
  $("message").textContent = "";
  $("built").textContent = `${built.toFixed(0)} ms`;
  await compute(current, tensorOf(before), built);
}

/** Runs a graph on a picture, and, if that is wished, on what comes out, as long as it is the current one. */
async function compute(of, x, built) {
  const n = of.input[2] * of.input[3];
  for (let round = 1; of === current; round++) {
    const start = performance.now();
    context.writeTensor(of.tensors[0], x);
    context.dispatch(of.graph, { x: of.tensors[0] }, { y: of.tensors[1] });
    const y = await context.readTensor(of.tensors[1]).then((buffer) => new Float32Array(buffer), (e) => e);
    const ms = performance.now() - start;
    if (of !== current) {
      return; // and its tensors are destroyed
    }
    if (y instanceof Error) {
      complain(y);
      return;
    }
    show(y, of.shape);
    $("ms").textContent = `${ms.toFixed(1)} ms`;
    window.result = { y, shape: of.shape, ms, built, round, level: levelOf(context) };
    if (!$("again").checked || of.shape[2] !== of.input[2] || of.shape[3] !== of.input[3]) {
      return;
    }
    x = of.shape[1] === 3 ? y : Float32Array.from({ length: 3 * n }, (_, i) => y[i % n]); // one channel is gray
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, 60 - ms)));
  }
}

let typed;
function soon() {
  clearTimeout(typed);
  typed = setTimeout(renew, 150);
}

function choose(name) {
  const { code, again = false } = presets[name];
  $("code").value = code;
  $("again").checked = again;
  for (const button of $("presets").children) {
    button.setAttribute("aria-pressed", button.textContent === name);
  }
  return renew();
}

for (const name of Object.keys(presets)) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = name;
  button.addEventListener("click", () => choose(name));
  $("presets").append(button);
}
$("code").addEventListener("input", soon);
$("again").addEventListener("change", renew);

async function open(file) {
  if (!file) {
    return;
  }
  const url = URL.createObjectURL(file), image = new Image();
  image.src = url;
  try {
    await image.decode();
  } catch {
    complain(new Error(`${file.name} is not a picture that the browser can show. JPEG, PNG, WebP and GIF are.`));
    return;
  } finally {
    URL.revokeObjectURL(url);
  }
  pixels(image, before, largest);
  await renew();
}
$("file").addEventListener("change", (event) => {
  open(event.target.files[0]);
  event.target.value = "";
});
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
  if (event.dataTransfer.files.length > 0) {
    event.preventDefault();
    open(event.dataTransfer.files[0]);
  }
});

paint(before);
try {
  const began = performance.now();
  await start();
  const loading = performance.now() - began;
  $("level").textContent = { fused: "fused", emulated: "emulated, same bits" }[levelOf(context)] ?? levelOf(context);
  const entry = performance.getEntriesByType("resource").find(({ name }) => name.endsWith("concord.wasm"));
  if (entry) {
    $("size").textContent = `the compiler, ${(entry.encodedBodySize / 2 ** 20).toFixed(1)} MB, in ${loading.toFixed(0)} ms`;
  }
  await choose("Edges");
} catch (e) {
  complain(e);
}
