// Reads a digit while it is drawn.
import { description, open as load, samples } from "./digits.media.js";
import { exact, tellLevel } from "./level.js";
import { pixels } from "./pixels.js";

const $ = (id) => document.getElementById(id);
const paper = $("paper");
const ink = paper.getContext("2d", { willReadFrequently: true });
const names = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
const side = 400, nib = 22; // of a clean sheet, in pixels

const bars = names.map((_, digit) => {
  const item = document.createElement("li");
  item.innerHTML = `<span>${digit}</span><span class="bar"><i></i></span><span></span>`;
  $("bars").append(item);
  return item;
});

let network;
let blank = true;
const sheets = []; // what the paper was before each stroke

function say(message) {
  $("message").textContent = message;
}

/** Reads what is on the paper and shows it, or says why it cannot. */
const read = () => answer().catch((e) => say(`The drawing could not be read: ${e.message}`));

async function answer() {
  const image = ink.getImageData(0, 0, paper.width, paper.height), none = blank;
  const start = performance.now();
  const [{ classes }] = await network.picture(image);
  const ms = performance.now() - start;
  const [best, second] = classes;
  const name = ({ index }) => `${index === 8 ? "an" : "a"} ${names[index]}`;
  for (const { index, probability: p } of classes) {
    bars[index].classList.toggle("best", !none && index === best.index);
    bars[index].querySelector("i").style.transform = `scaleX(${none ? 0 : p})`;
    bars[index].lastChild.textContent = none ? "" : `${(100 * p).toFixed(1)} %`;
  }
  $("digit").textContent = none ? "–" : best.index;
  $("sure").textContent = none ? "nothing drawn yet" : `${best.probability > 0.9 ? "" : "perhaps "}${name(best)}`;
  $("else").textContent = none || second.probability < 0.02 ? "" : `or ${name(second)}`;
  $("hint").hidden = !none;
  $("ms").textContent = `${ms.toFixed(1)} ms`;
  document.title = none ? "Draw a digit" : `${best.index} – Draw a digit`;
  show(image, none);
  const y = classes.toSorted((a, b) => a.index - b.index).map(({ probability }) => probability);
  window.result = { digit: none ? null : best.index, y, ms };
}

/** Shows what the network sees. */
function show(image, none) {
  const { width, height } = description.picture, seen = new ImageData(width, height);
  samples(description.picture, image).pixels.forEach((v, i) => seen.data.set([v, v, v, 255].map((x, k) => (none && k < 3 ? 0 : x)), 4 * i));
  $("seen").getContext("2d").putImageData(seen, 0, 0);
}

// Reading follows the drawing at the pace of the screen.
let due = false;
function soon() {
  if (network && !due) {
    due = true;
    requestAnimationFrame(() => {
      due = false;
      read();
    });
  }
}

function clear() {
  paper.width = paper.height = side;
  ink.fillStyle = "#fff";
  ink.fillRect(0, 0, side, side);
  blank = true;
  say("");
  soon();
}

function keep() {
  sheets.push({ blank, image: ink.getImageData(0, 0, paper.width, paper.height) });
  if (sheets.length > 20) {
    sheets.shift();
  }
}

function undo() {
  const last = sheets.pop();
  if (!last) {
    return;
  }
  paper.width = last.image.width;
  paper.height = last.image.height;
  ink.putImageData(last.image, 0, 0);
  blank = last.blank;
  soon();
}

/** Draws a line of the pen; a point if it has no length. */
function line(from, to) {
  ink.lineCap = ink.lineJoin = "round";
  ink.lineWidth = (nib * Math.max(paper.width, paper.height)) / side;
  ink.strokeStyle = "#000";
  ink.beginPath();
  ink.moveTo(from.x, from.y);
  ink.lineTo(to.x, to.y);
  ink.stroke();
  blank = false;
  soon();
}

/** Puts a picture on the paper, pixel for pixel, so that the network sees what is in the file. */
async function open(source) {
  const image = new Image();
  image.src = source;
  try {
    await image.decode();
  } catch {
    say("This file is not a picture that the browser can show. PNG, JPEG, WebP and GIF are.");
    return;
  }
  keep();
  pixels(image, paper, 2048);
  blank = false;
  say("");
  soon();
}

// Where a pointer is, in pixels of the paper, which is shown as large as fits into its square.
function place(event) {
  const box = paper.getBoundingClientRect();
  const scale = Math.max(paper.width / box.width, paper.height / box.height);
  return {
    x: (event.clientX - box.left - box.width / 2) * scale + paper.width / 2,
    y: (event.clientY - box.top - box.height / 2) * scale + paper.height / 2,
  };
}

let last = null;
paper.addEventListener("pointerdown", (event) => {
  if (event.button !== 0) {
    return;
  }
  paper.setPointerCapture(event.pointerId);
  keep();
  last = place(event);
  line(last, last);
});
paper.addEventListener("pointermove", (event) => {
  if (!last) {
    return;
  }
  // A quick hand makes several moves between two pictures of the screen.
  const moves = event.getCoalescedEvents?.() ?? [];
  for (const move of moves.length > 0 ? moves : [event]) {
    const to = place(move);
    line(last, to);
    last = to;
  }
});
for (const end of ["pointerup", "pointercancel"]) {
  paper.addEventListener(end, () => (last = null));
}

// With the keyboard the pen moves in steps.
const pen = { x: side / 2, y: side / 4, down: false };
const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
function showPen() {
  $("pen").hidden = document.activeElement !== paper || !paper.matches(":focus-visible");
  $("pen").classList.toggle("down", pen.down);
  $("pen").style.left = `${(100 * pen.x) / side}%`;
  $("pen").style.top = `${(100 * pen.y) / side}%`;
}
paper.addEventListener("keydown", (event) => {
  const step = steps[event.key];
  const scale = Math.max(paper.width, paper.height) / side;
  const at = () => ({ x: pen.x * scale, y: pen.y * scale });
  if (step) {
    const from = at();
    pen.x = Math.min(Math.max(pen.x + 10 * step[0], 0), side);
    pen.y = Math.min(Math.max(pen.y + 10 * step[1], 0), side);
    if (pen.down) {
      line(from, at());
    }
  } else if (event.key === " ") {
    pen.down = !pen.down;
    if (pen.down) {
      keep();
      line(at(), at());
    }
  } else {
    return;
  }
  event.preventDefault();
  showPen();
});
paper.addEventListener("focus", showPen);
paper.addEventListener("blur", () => {
  pen.down = false;
  showPen();
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    keep();
    clear();
  } else if (event.key === "z" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    undo();
  }
});
$("clear").addEventListener("click", () => {
  keep();
  clear();
});
$("undo").addEventListener("click", undo);

async function openFile(file) {
  if (file) {
    const url = URL.createObjectURL(file);
    await open(url);
    URL.revokeObjectURL(url);
  }
}
$("file").addEventListener("change", (event) => {
  openFile(event.target.files[0]);
  event.target.value = ""; // the same file may be opened again
});
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
  event.preventDefault();
  openFile(event.dataTransfer.files[0]);
});

for (const name of names) {
  for (const file of [`${name}.png`, `${name}-2.png`]) {
    const button = document.createElement("button");
    button.type = "button";
    button.innerHTML = `<img src="${file}" alt="a drawing of a ${name}" width="200" height="200" loading="lazy">`;
    button.addEventListener("click", () => open(file));
    $("drawings").append(button);
  }
}

clear();
try {
  network = await load({ exact });
  const bytes = performance.getEntriesByType("resource").reduce((sum, { name, decodedBodySize }) => sum + (/digits\./.test(name) ? decodedBodySize : 0), 0);
  $("size").textContent = `${(bytes / 1024).toFixed(0)} KB, weights and code`;
  tellLevel($("level"), network.model.exact);
  await read();
} catch (e) {
  say(typeof WebAssembly === "object" ? `The network could not be loaded: ${e.message}` : "This browser has no WebAssembly. Any one from 2021 or later has.");
}
