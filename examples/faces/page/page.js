// Finds faces in a photo, in pictures of the camera, or in a painting.
import { open as load } from "./faces.media.js";
import { exact, tellLevel } from "./level.js";
import { paint } from "./paint.js";
import { pixels } from "./pixels.js";

const $ = (id) => document.getElementById(id);
const say = (message) => ($("message").textContent = message);
const threshold = () => $("threshold").value / 100;
const shown = $("picture");

// What the network sees has no frames in it, so that it has a canvas of its own.
const seen = document.createElement("canvas");

let network;
let known; // faces of the picture, also of low scores

/** Shows the picture with a frame around each face. */
function show() {
  const { width, height } = seen;
  if (shown.width !== width || shown.height !== height) {
    shown.width = width;
    shown.height = height;
  }
  const context = shown.getContext("2d");
  context.drawImage(seen, 0, 0);
  const faces = known.filter(({ score }) => score > threshold());
  const thin = Math.max(width, height) / 350;
  for (const { left, top, right, bottom } of faces) {
    const frame = [left, top, right - left, bottom - top];
    // Light on dark is seen on any picture.
    for (const [style, line] of [["rgba(0, 0, 0, 0.45)", 3 * thin], ["#ffd23f", 1.5 * thin]]) {
      context.strokeStyle = style;
      context.lineWidth = line;
      context.beginPath();
      context.roundRect(...frame, frame[2] / 6);
      context.stroke();
    }
  }
  $("answer").textContent = ["No face", "One face"][faces.length] ?? `${faces.length} faces`;
  document.title = `${$("answer").textContent} – Find faces`;
  return faces;
}

/** Looks at what is on the canvas. */
async function look() {
  const image = seen.getContext("2d", { willReadFrequently: true }).getImageData(0, 0, seen.width, seen.height);
  const start = performance.now();
  const answers = await network.picture(image);
  const ms = performance.now() - start;
  known = answers.find(({ boxes }) => boxes).boxes;
  const faces = show();
  $("ms").textContent = `${ms.toFixed(1)} ms`;
  window.result = { faces, ms, pixels: () => seen.toDataURL() };
}

let camera; // its stream
function endCamera() {
  camera?.getTracks().forEach((track) => track.stop());
  camera = undefined;
  $("camera").textContent = "Use the camera";
  $("stage").classList.remove("mirrored");
}

async function startCamera() {
  if (camera) {
    endCamera();
    return;
  }
  if (!navigator.mediaDevices) {
    throw new Error("Browsers give the camera only to pages from localhost or over https.");
  }
  const stream = await navigator.mediaDevices.getUserMedia({ video: { width: 640, height: 480, facingMode: "user" } }).catch((e) => {
    throw new Error(e.name === "NotFoundError" ? "There is no camera." : "The camera was not allowed; the browser's address bar has a button to change that.");
  });
  endCamera(); // there may be one since
  camera = stream;
  const video = document.createElement("video");
  video.muted = video.playsInline = true;
  video.srcObject = stream;
  await video.play();
  $("camera").textContent = "Stop the camera";
  $("stage").classList.toggle("mirrored", stream.getVideoTracks()[0].getSettings().facingMode !== "environment");
  while (camera === stream) {
    pixels(video, seen, 1280);
    await look();
    await new Promise(requestAnimationFrame); // pictures that come while the network computes are left out
  }
}

async function open(file) {
  endCamera();
  const url = URL.createObjectURL(file);
  const image = new Image();
  image.src = url;
  try {
    await image.decode();
  } catch {
    throw new Error(`${file.name || "This"} is not a picture that the browser can show. JPEG, PNG, WebP and GIF are.`);
  } finally {
    URL.revokeObjectURL(url);
  }
  pixels(image, seen);
  await look();
}

async function showPainting() {
  endCamera();
  paint(seen);
  await look();
}

/** Does what is asked for as soon as the model is there, and says what went wrong. */
async function attempt(action) {
  say("");
  try {
    await loaded;
    await action();
  } catch (e) {
    endCamera();
    say(e.message);
  }
}

$("camera").addEventListener("click", () => attempt(startCamera));
$("painting").addEventListener("click", () => attempt(showPainting));
$("threshold").addEventListener("input", () => {
  $("from").textContent = `${$("threshold").value} %`;
  if (known) {
    show();
  }
});
function take(file) {
  if (file) {
    attempt(() => open(file));
  }
}
$("file").addEventListener("change", (event) => {
  take(event.target.files[0]);
  event.target.value = "";
});
document.addEventListener("paste", (event) => take(event.clipboardData.files[0]));
for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    event.preventDefault();
    $("stage").classList.toggle("over", kind === "dragover");
  });
}
document.addEventListener("drop", (event) => take(event.dataTransfer.files[0]));

const loaded = (async () => {
  if (typeof WebAssembly !== "object") {
    throw new Error("This browser has no WebAssembly. Any one from 2021 or later has.");
  }
  // Half of what the machine has: the rest draws the page.
  const threads = Math.max(1, Math.min(4, navigator.hardwareConcurrency >> 1));
  network = await load({ worker: true, threads, exact });
  const { exact: emulated, threads: taken } = network.model;
  tellLevel($("level"), emulated);
  $("threads").textContent = taken;
  const code = `faces${emulated ? ".exact" : ""}${taken > 1 ? ".threads" : ""}.wasm`;
  const sizes = await Promise.all(["faces.bin", code].map((name) => fetch(name, { method: "HEAD" }).then((r) => Number(r.headers.get("Content-Length")))));
  $("size").textContent = `${((sizes[0] + sizes[1]) / 1024).toFixed(0)} KB, weights and code`;
})();
attempt(showPainting);
