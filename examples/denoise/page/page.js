// Removes noise from a sound while it plays.
import { download } from "./denoise.js";
import { exact, tellLevel } from "./level.js";
import { Spectrogram } from "./spectrogram.js";
import { speak } from "./voice.js";
import { wav } from "./wav.js";

const $ = (id) => document.getElementById(id);
const hop = 512; // samples of a frame; what comes out is two frames late

const say = (message) => ($("message").textContent = message);
const keep = () => $("keep").value / 100;

// Everything is fetched while the person reads; audio may start only when a button is pressed.
const parts = download({ exact });

/** Makes a node that removes noise, in a context that is live or not. */
async function denoiser(context) {
  if (!context.audioWorklet) {
    throw new Error("This browser has no AudioWorklet, or the page is not served from localhost or over https.");
  }
  await context.audioWorklet.addModule("worklet.js");
  const node = new AudioWorkletNode(context, "denoise", {
    channelCount: 1,
    channelCountMode: "explicit",
    outputChannelCount: [1],
    processorOptions: { parts: await parts, keep: keep() },
  });
  await new Promise((resolve, reject) => {
    node.port.onmessage = ({ data }) => (data.error ? reject(new Error(data.error)) : resolve());
    node.onprocessorerror = () => reject(new Error("the audio thread refused the network"));
  });
  return node;
}

/** Removes the noise of a whole sound at once: of samples at a rate, as many samples. */
async function denoised(samples, rate) {
  const context = new OfflineAudioContext(1, samples.length + 2 * hop, rate);
  const node = await denoiser(context);
  const buffer = context.createBuffer(1, samples.length, rate);
  buffer.copyToChannel(samples, 0);
  const source = new AudioBufferSourceNode(context, { buffer });
  source.connect(node).connect(context.destination);
  source.start();
  return (await context.startRendering()).getChannelData(0).subarray(2 * hop);
}

// The live sound: source → denoise, and → delay, which makes both equally late; each has a gain, by which one of them is heard.
let live, starting;
async function start() {
  starting ??= begin().catch((e) => {
    starting = undefined; // the next press of a button tries again
    throw e;
  });
  await starting;
  await live.context.resume();
}

async function begin() {
  const context = new AudioContext();
  const node = await denoiser(context);
  const delay = new DelayNode(context, { delayTime: (2 * hop) / context.sampleRate, channelCount: 1, channelCountMode: "explicit" });
  const branch = (from) => {
    const analyser = new AnalyserNode(context, { fftSize: 2048, smoothingTimeConstant: 0 });
    const gain = new GainNode(context, { gain: 0 });
    from.connect(analyser);
    from.connect(gain).connect(context.destination);
    return { analyser, gain };
  };
  live = { context, node, delay, before: branch(delay), after: branch(node), gains: new Float32Array(22), frames: 0, ms: 0 };
  node.port.onmessage = ({ data: { gains, ms } }) => {
    live.gains = gains;
    live.frames++;
    live.ms += ms;
  };
  live.pictures = ["before", "after"].map((side) => new Spectrogram($(side), live[side].analyser));
  $("frame").textContent = ((1000 * hop) / context.sampleRate).toFixed(1);
  hear();
}

function hear() {
  const wish = document.querySelector("[name=hear]:checked").value;
  for (const side of ["before", "after"]) {
    live?.[side].gain.gain.setTargetAtTime(side === wish ? 1 : 0, live.context.currentTime, 0.01);
  }
}
document.querySelectorAll("[name=hear]").forEach((input) => input.addEventListener("change", hear));
$("keep").addEventListener("input", () => {
  $("kept").textContent = `${$("keep").value} %`;
  live?.node.port.postMessage({ keep: keep() });
});

let source, sound; // what is heard, and its samples if it is not the microphone
function connect(node, end) {
  stop();
  source = { node, end };
  live.node.port.postMessage({ reset: true });
  node.connect(live.node);
  node.connect(live.delay);
  $("stop").disabled = false;
  $("save").disabled = !sound;
  say("");
  if (!drawing) {
    drawing = true;
    requestAnimationFrame(draw);
  }
}

function stop() {
  if (!source) {
    return;
  }
  source.node.disconnect();
  source.end();
  source = undefined;
  $("stop").disabled = true;
}

async function play(samples, rate) {
  await start();
  const buffer = live.context.createBuffer(1, samples.length, rate);
  buffer.copyToChannel(samples, 0);
  const node = new AudioBufferSourceNode(live.context, { buffer, loop: true });
  sound = { samples, rate };
  connect(node, () => node.stop());
  node.start();
}

async function listen() {
  if (!navigator.mediaDevices) {
    throw new Error("Browsers give the microphone only to pages from localhost or over https.");
  }
  await start();
  // The browser's own noise suppression would leave nothing to do.
  const audio = { noiseSuppression: false, echoCancellation: false, autoGainControl: false };
  const stream = await navigator.mediaDevices.getUserMedia({ audio }).catch((e) => {
    throw new Error(e.name === "NotFoundError" ? "There is no microphone." : "The microphone was not allowed; the browser's address bar has a button to change that.");
  });
  sound = undefined;
  // Loudspeakers would be heard by the microphone.
  document.querySelector("[value=nothing]").checked = true;
  hear();
  connect(new MediaStreamAudioSourceNode(live.context, { mediaStream: stream }), () => stream.getTracks().forEach((track) => track.stop()));
  say("You hear nothing, as the microphone would hear it, too. With headphones, choose “after”.");
}

async function open(file) {
  await start();
  const buffer = await live.context.decodeAudioData(await file.arrayBuffer()).catch(() => {
    throw new Error(`${file.name} is not a sound that this browser can play. WAV, MP3 and Ogg are.`);
  });
  // Channels are added up.
  const samples = new Float32Array(buffer.length);
  for (let c = 0; c < buffer.numberOfChannels; c++) {
    buffer.getChannelData(c).forEach((x, i) => (samples[i] += x / buffer.numberOfChannels));
  }
  await play(samples, buffer.sampleRate);
}

async function save() {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(wav(await denoised(sound.samples, sound.rate), sound.rate));
  link.download = "without-noise.wav";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000); // some browsers read it later
}

/** Does what a button is for, and says what went wrong. */
async function attempt(action) {
  try {
    await action();
  } catch (e) {
    say(e.message);
  }
}

$("sample").addEventListener("click", () => attempt(async () => {
  await start();
  await play(speak(live.context.sampleRate), live.context.sampleRate);
}));
$("microphone").addEventListener("click", () => attempt(listen));
$("stop").addEventListener("click", stop);
$("save").addEventListener("click", () => attempt(save));
$("file").addEventListener("change", (event) => {
  const [file] = event.target.files;
  if (file) {
    attempt(() => open(file));
  }
  event.target.value = "";
});
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
  event.preventDefault();
  const [file] = event.dataTransfer.files;
  if (file) {
    attempt(() => open(file));
  }
});

/** The level of what an analyser hears, in dB. */
function level(analyser) {
  const x = new Float32Array(analyser.fftSize);
  analyser.getFloatTimeDomainData(x);
  return 10 * Math.log10(x.reduce((sum, v) => sum + v * v, 0) / x.length + 1e-10);
}

let drawing = false, drawn = 0, told = 0;
function draw(now) {
  drawing = source !== undefined;
  if (!drawing) {
    return;
  }
  requestAnimationFrame(draw);
  const seconds = Math.min((now - drawn) / 1000, 0.1);
  drawn = now;
  live.pictures.forEach((picture) => picture.draw(seconds));
  drawGains();
  if (now - told > 250) {
    told = now;
    tell();
  }
}

function drawGains() {
  const canvas = $("gains"), context = canvas.getContext("2d");
  canvas.width = canvas.clientWidth;
  canvas.height = canvas.clientHeight;
  context.fillStyle = getComputedStyle(canvas).getPropertyValue("--accent");
  const width = canvas.width / live.gains.length;
  live.gains.forEach((gain, i) => context.fillRect(i * width + 1, canvas.height * (1 - gain), width - 2, canvas.height * gain));
}

function tell() {
  for (const side of ["before", "after"]) {
    $(`level-${side}`).textContent = `${level(live[side].analyser).toFixed(0)} dB`;
  }
  $("ms").textContent = `${(live.ms / live.frames).toFixed(1)} ms`;
  window.result = { ready: true, denoised, speak, frames: live.frames, ms: live.ms / live.frames };
}

try {
  const { exact: emulated, code, weights } = await parts;
  tellLevel($("multiply"), emulated);
  $("size").textContent = `${((code.byteLength + weights.byteLength) / 1024).toFixed(0)} KB, weights and code`;
  window.result = { ready: true, denoised, speak };
} catch (e) {
  say(typeof WebAssembly === "object" ? `The network could not be loaded: ${e.message}` : "This browser has no WebAssembly. Any one from 2021 or later has.");
}
