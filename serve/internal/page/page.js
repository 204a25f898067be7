// The page of a server: its models, what they say of a file or of numbers, and how they are doing.
//
// Everything that a model or the server says is foreign text: it becomes text of nodes, never markup.
import { boxes, classes, made, track } from "./show.js";

const at = (id) => document.getElementById(id);
const INTERVAL = 1000; // milliseconds between two looks at the statistics
const KEPT = 60; // looks
const SHOWN = 64; // elements of a tensor

// say shows what is wrong, at one of two places; "" for nothing.
const say = (text, where = "message") => {
  if (at(where).textContent !== text) {
    at(where).textContent = text;
  }
};

// ---- the server

let token = ""; // is kept here, and nowhere else

class Refused extends Error {}

// Integers that a number of JavaScript cannot hold become a BigInt, where the browser tells how they were written.
const exact = (key, value, context) =>
  Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "") ? BigInt(context.source) : value;

async function asked(path, options = {}) {
  const headers = { ...options.headers, ...(token && { Authorization: `Bearer ${token}` }) };
  const response = await fetch(path, { cache: "no-store", ...options, headers });
  const text = await response.text();
  let value;
  try {
    value = JSON.parse(text, exact);
  } catch {
    value = { error: text.slice(0, 500) };
  }
  if (response.status === 401) {
    at("access").hidden = false;
    throw new Refused(token ? "The server does not take this token." : "");
  }
  if (!response.ok) {
    throw new Error(value?.error || `${response.status} ${response.statusText}`);
  }
  return value;
}

const posted = (path, body, type = "application/json", signal = undefined) => asked(path, { method: "POST", headers: { "Content-Type": type }, body, signal });

at("access").onsubmit = (e) => {
  e.preventDefault();
  token = at("token").value;
  at("token").value = "";
  at("access").hidden = true;
  look();
};

// ---- the models

let models = new Map(); // what the index says of the versions of each
let selected; // the name of a model
let description; // what it takes and yields, once that is known
let latest; // the last time that was asked
const pathOf = (name, version) => `models/${encodeURIComponent(name)}${version ? `/versions/${encodeURIComponent(version)}` : ""}`;

const words = { READY: "ready", LOADING: "loading", UNLOADING: "unloading", UNAVAILABLE: "unavailable", UNKNOWN: "unknown" };

// stateOf is the best state that a version has.
const stateOf = (entries) => ["READY", "LOADING", "UNLOADING", "UNAVAILABLE", "UNKNOWN"].find((s) => entries.some((e) => e.state === s)) ?? "UNKNOWN";

let index = ""; // as it was last, so that nothing moves under a finger or a screen reader without need

function list(entries) {
  if (index === JSON.stringify(entries)) {
    return;
  }
  const before = stateOf(models.get(selected) ?? []);
  index = JSON.stringify(entries);
  models = new Map();
  for (const e of entries) {
    models.set(e.name, [...(models.get(e.name) ?? []), e]);
  }
  const focused = document.activeElement?.dataset.model;
  at("models").replaceChildren(...[...models].map(([name, versions]) => {
    const state = stateOf(versions);
    const button = made("button", { type: "button", onclick: () => (location.hash = encodeURIComponent(name)) },
      made("span", { textContent: name }), made("span", { className: `state ${state}`, textContent: words[state] }));
    button.dataset.model = name;
    return made("li", {}, button);
  }));
  const buttons = [...at("models").querySelectorAll("button")];
  buttons.find((b) => b.dataset.model === focused)?.focus();
  say(entries.length ? "" : "There are no models.");
  at("main").hidden = !entries.length;
  if (!models.has(selected)) {
    select();
  } else {
    mark();
    if (before !== stateOf(models.get(selected)) || !description) {
      describe();
    }
  }
}

function mark() {
  for (const b of at("models").querySelectorAll("button")) {
    if (b.dataset.model === selected) {
      b.setAttribute("aria-current", "true");
    } else {
      b.removeAttribute("aria-current");
    }
  }
  const reasons = (models.get(selected) ?? []).filter((e) => e.reason).map((e) => (e.version ? `version ${e.version}: ` : "") + e.reason);
  at("reason").textContent = reasons.join("\n");
  at("reason").classList.toggle("note", stateOf(models.get(selected) ?? []) === "READY"); // of a model that answers, nothing is wrong
  at("reason").hidden = !reasons.length;
}

// select takes the model of the address, or else the first that is ready.
function select() {
  let wanted = "";
  try {
    wanted = decodeURIComponent(location.hash.slice(1));
  } catch {
    // a hash that is none of ours
  }
  const name = models.has(wanted) ? wanted : ([...models].find(([, v]) => stateOf(v) === "READY") ?? [...models][0])?.[0];
  at("model").hidden = name === undefined;
  if (name === undefined) {
    selected = undefined;
    return;
  }
  if (name !== selected) {
    selected = name;
    looks = [];
    at("version").replaceChildren();
    clear();
    describe();
    draw();
  }
  mark();
}
onhashchange = select;

const shapeOf = (shape) => `[${shape.map((n) => (n < 0 ? "?" : n)).join(", ")}]`;

async function describe() {
  const name = selected;
  const mine = (latest = {});
  description = undefined;
  at("name").textContent = name;
  at("platform").textContent = "";
  at("known").hidden = at("asking").hidden = at("now").hidden = true;
  at("ports").tBodies[0].replaceChildren(); // what is hidden must not be taken for the model's either
  at("numbers").replaceChildren();
  if (stateOf(models.get(name)) !== "READY") {
    return; // list asks again when that changes
  }
  let d;
  try {
    d = await asked(`v2/${pathOf(name, at("version").value)}`);
  } catch (e) {
    if (mine === latest) {
      at("reason").textContent = e.message;
      at("reason").classList.remove("note");
      at("reason").hidden = false;
    }
    return;
  }
  if (mine !== latest) {
    return;
  }
  description = d;
  at("known").hidden = at("asking").hidden = at("now").hidden = false;
  at("platform").textContent = d.platform;
  const chosen = at("version").value;
  at("version").replaceChildren(made("option", { value: "", textContent: "newest" }), ...d.versions.map((v) => made("option", { value: v, textContent: v })));
  at("version").value = d.versions.includes(chosen) ? chosen : "";
  at("which").hidden = d.versions.length < 2;
  const rows = (what, ports) => ports.map((p, i) => {
    const cells = [p.name, p.datatype, shapeOf(p.shape)].map((textContent) => made("td", { textContent }));
    return made("tr", {}, made("th", { scope: "row", textContent: i ? "" : what }), ...cells);
  });
  at("ports").tBodies[0].replaceChildren(...rows("takes", d.inputs), ...rows("yields", d.outputs));
  const binary = [...d.inputs, ...d.outputs].find((p) => /^(FP|BF)16$/.test(p.datatype)); // which the protocol's JSON cannot say
  at("numbers").replaceChildren(...(binary
    ? [made("p", { textContent: `${binary.name} is ${binary.datatype}, which has no form as text: programs send it as binary data.` })]
    : [...d.inputs.map(fieldsOf), made("button", { className: "main", textContent: "Ask" })]));
}
at("version").onchange = () => {
  looks = [];
  clear();
  describe();
  draw();
};

// ---- asking

let running; // what ends the question that is being answered
let address; // of the sound

function clear() {
  running?.abort();
  running = undefined;
  say("", "wrong");
  at("took").textContent = "";
  at("answer").replaceChildren();
  at("picture").hidden = at("sound").hidden = true;
  at("sound").removeAttribute("src");
  if (address) {
    URL.revokeObjectURL(address);
    address = undefined;
  }
}

// ask shows what a function yields that asks the server.
async function ask(question) {
  clear();
  const mine = (running = new AbortController());
  at("took").textContent = "…";
  const began = performance.now();
  try {
    const shown = await question(mine.signal);
    if (mine === running) {
      at("took").textContent = `${(performance.now() - began).toFixed(1)} ms, there and back`;
      at("answer").replaceChildren(...shown());
    }
  } catch (e) {
    if (mine === running) {
      at("took").textContent = "";
      say(e.message, e instanceof Refused ? "message" : "wrong");
    }
  }
}

const headed = (several, name, parts) => (several ? [made("h3", { textContent: name }), ...parts] : parts);
const rounded = (x) => (x == null ? "?" : Number(x).toPrecision(4));
const summed = (type, { min, max, mean }) => made("p", { textContent: `${type} from ${rounded(min)} to ${rounded(max)}, mean ${rounded(mean)}` });

// The kinds of outputs, as concord run has them.
const kinds = {
  classes: (o) => classes(o.classes ?? []),
  boxes: (o) => boxes(at("picture"), o.boxes ?? []),
  track: (o) => track({ ...o.track, values: o.track.values.map((v) => v ?? 0) }),
  tensor: (o) => [summed(o.type, o.statistics ?? {})],
};

function send(file) {
  if (stateOf(models.get(selected) ?? []) !== "READY" || !file) {
    return;
  }
  const path = `${pathOf(selected, at("version").value)}/answer`;
  ask(async (signal) => {
    const type = file.type || "application/octet-stream";
    const [answer, picture] = await Promise.all([posted(path, file, type, signal), createImageBitmap(file, { imageOrientation: "from-image" }).catch(() => null)]);
    return () => {
      const canvas = at("picture");
      canvas.hidden = !picture;
      Object.assign(canvas, { width: picture?.width ?? 1, height: picture?.height ?? 1 });
      if (picture) {
        canvas.getContext("2d").drawImage(picture, 0, 0);
        picture.close();
      } else if (type.startsWith("audio/")) {
        address = URL.createObjectURL(file);
        Object.assign(at("sound"), { src: address, hidden: false });
      }
      const { outputs } = answer;
      at("shown").className = outputs.some((o) => o.kind === "boxes") ? "" : "beside";
      return outputs.flatMap((o) => headed(outputs.length > 1, o.name, (kinds[o.kind] ?? kinds.tensor)(o)));
    };
  });
}

at("file").onchange = () => {
  send(at("file").files[0]);
  at("file").value = ""; // so that the same one can be chosen again
};
document.ondragover = (e) => {
  e.preventDefault();
  at("drop").classList.add("over");
};
document.ondragleave = () => at("drop").classList.remove("over");
document.ondrop = (e) => {
  e.preventDefault();
  at("drop").classList.remove("over");
  send(e.dataTransfer.files[0]);
};
document.onpaste = (e) => e.clipboardData.files.length && send(e.clipboardData.files[0]);

// fieldsOf makes the fields for the numbers of an input.
function fieldsOf(input) {
  const field = made("textarea", { rows: 2, value: "0", spellcheck: false, ariaLabel: `elements of ${input.name}, or one number for all of them` });
  const parts = [made("legend", { textContent: `${input.name}: ${input.datatype} ${shapeOf(input.shape)}` }), field];
  if (input.shape.some((n) => n < 0)) {
    parts.splice(1, 0, made("label", {}, "shape", made("input", { value: input.shape.map((n) => Math.abs(n)).join(", "), inputMode: "numeric" })));
  }
  return made("fieldset", {}, ...parts);
}

const length = (shape) => shape.reduce((a, b) => a * b, 1);
const MOST = 1 << 20; // elements that are typed

// elements are the elements that a text means, one for all of them or all of them, as JSON.
function elements({ name, datatype }, shape, text) {
  const list = text.trim().split(/[\s,;[\]]+/).filter(Boolean);
  const n = length(shape);
  if (!(n <= MOST)) {
    throw new RangeError(`${name}: there are ${n} elements; send a file`);
  }
  if (list.length !== n && list.length !== 1) {
    throw new RangeError(`${name}: there are ${list.length} numbers; give ${n}, or one for all`);
  }
  const integer = /^U?INT/.test(datatype);
  const said = list.map((word) => {
    if (datatype === "BOOL" && /^(0|1|true|false)$/.test(word)) {
      return /^(1|true)$/.test(word);
    }
    if (datatype === "BOOL" || (integer ? !/^[+-]?\d+$/.test(word) : !Number.isFinite(Number(word)) && !/^(NaN|[+-]?Infinity)$/.test(word))) {
      throw new TypeError(`${name}: ${word} is not ${datatype === "BOOL" ? "0 or 1" : integer ? "an integer" : "a number"}`);
    }
    return integer ? String(BigInt(word)) : String(Number(word)).replace(/^-?Infinity$/, '"$&"');
  });
  return `[${(list.length === n ? said : Array(n).fill(said[0])).join(",")}]`;
}

at("numbers").onsubmit = (e) => {
  e.preventDefault();
  const d = description;
  ask(async (signal) => {
    const inputs = d.inputs.map((input, i) => {
      const fields = at("numbers").querySelectorAll("fieldset")[i];
      const open = fields.querySelector("input");
      const shape = open ? open.value.split(/[\s,x×]+/).filter(Boolean).map(Number) : input.shape;
      if (shape.length !== input.shape.length || !shape.every((n) => Number.isSafeInteger(n) && n >= 0)) {
        throw new TypeError(`${input.name}: the shape has ${input.shape.length} extents`);
      }
      const { name, datatype } = input;
      return `{"name":${JSON.stringify(name)},"datatype":${JSON.stringify(datatype)},"shape":${JSON.stringify(shape)},"data":${elements(input, shape, fields.querySelector("textarea").value)}}`;
    });
    const answer = await posted(`v2/${pathOf(selected, at("version").value)}/infer`, `{"inputs":[${inputs.join(",")}]}`, "application/json", signal);
    return () => answer.outputs.flatMap((o) => headed(answer.outputs.length > 1, o.name, numbersOf(o)));
  });
};

function numbersOf({ datatype, shape, data }) {
  const all = data.flat(Infinity).map((x) => (typeof x === "boolean" ? +x : x));
  let [min, max, sum] = [Infinity, -Infinity, 0];
  for (const x of all) {
    const v = Number(x);
    [min, max, sum] = [Math.min(min, v), Math.max(max, v), sum + v];
  }
  const rest = all.length > SHOWN ? ` … ${all.length - SHOWN} more` : "";
  const first = made("pre", { textContent: all.slice(0, SHOWN).join(" ") + rest });
  return all.length ? [summed(`${datatype} ${shapeOf(shape)}`, { min, max, mean: sum / all.length }), first] : [first];
}

// ---- how it is doing

let looks = []; // at the statistics of the model that is selected

// totals sums the statistics of a model's versions, or has those of one.
function totals(statistics) {
  const chosen = at("version").value;
  const t = { n: 0, ns: 0, failed: 0, queued: 0, waited: 0, runs: 0, samples: 0, pending: 0, memory: 0, sizes: new Map() };
  for (const s of statistics.filter((x) => x.name === selected && (!chosen || x.version === chosen))) {
    const { success, fail, queue } = s.inference_stats;
    t.n += success.count;
    t.ns += success.ns;
    t.failed += fail.count;
    t.queued += queue.count;
    t.waited += queue.ns;
    t.runs += s.execution_count;
    t.samples += s.inference_count;
    t.pending += s.pending_request_count ?? 0;
    t.memory += (s.memory_usage ?? []).reduce((sum, m) => sum + m.byte_size, 0);
    for (const b of s.batch_stats ?? []) {
      t.sizes.set(b.batch_size, (t.sizes.get(b.batch_size) ?? 0) + b.compute_infer.count);
    }
  }
  return t;
}

const time = (ns) => (ns < 1e6 ? `${(ns / 1e3).toPrecision(3)} µs` : ns < 1e9 ? `${(ns / 1e6).toPrecision(3)} ms` : `${(ns / 1e9).toPrecision(3)} s`);

function bytes(n) {
  const k = n >= 1 ? Math.min(3, Math.floor(Math.log2(n) / 10)) : 0;
  return `${(n / 1024 ** k).toFixed(k ? 1 : 0)} ${["B", "KiB", "MiB", "GiB"][k]}`;
}

// draw shows the last minute.
function draw() {
  const [last, first] = [looks.at(-1), looks[0]];
  const fill = (id, text) => (at(id).textContent = text);
  const ids = ["rate", "mean", "waited", "batch", "pending", "failed", "memory"];
  const between = looks.slice(1).map((b, i) => ({ at: b.at, n: b.n - looks[i].n, ns: b.ns - looks[i].ns, queued: b.queued - looks[i].queued, waited: b.waited - looks[i].waited }));
  if (!last) {
    ids.forEach((id) => fill(id, "–"));
  } else {
    const n = last.n - first.n;
    fill("rate", last === first ? "–" : `${((1e3 * n) / (last.at - first.at)).toFixed(1)} a second`);
    fill("mean", n ? time((last.ns - first.ns) / n) : "–");
    fill("waited", last.queued > first.queued ? time((last.waited - first.waited) / (last.queued - first.queued)) : "–");
    fill("batch", last.runs > first.runs ? ((last.samples - first.samples) / (last.runs - first.runs)).toFixed(1) : "–");
    fill("pending", last.pending);
    fill("failed", last.failed);
    fill("memory", bytes(last.memory));
  }
  const points = (mean) => between.map((b) => ({ x: KEPT - (last.at - b.at) / INTERVAL, y: mean(b) }));
  const [all, queue] = [points((b) => b.ns / b.n), points((b) => b.waited / b.queued)];
  const top = Math.max(0, ...[...all, ...queue].map((p) => p.y).filter(Number.isFinite));
  fill("top", top ? `, up to ${time(top)}` : "");
  at("times").replaceChildren(curve("queue", queue, top), curve("all", all, top));
  const sizes = last ? [...last.sizes].map(([size, n]) => [size, n - (first.sizes.get(size) ?? 0)]).filter(([, n]) => n > 0).sort((a, b) => a[0] - b[0]) : [];
  const most = Math.max(1, ...sizes.map(([, n]) => n));
  at("sizes").ariaLabel = sizes.length ? sizes.map(([size, n]) => `${n} of ${size}`).join(", ") : "There were no runs";
  at("sizes").replaceChildren(...sizes.map(([size, n]) => made("div", { className: "bar" }, made("span", { textContent: size }),
    made("span", {}, made("i", { style: `width: ${(100 * n) / most}%` })), made("span", { textContent: n }))));
}

// curve is a line through points, with gaps where there were no requests.
function curve(className, points, top) {
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  let d = "";
  points.forEach(({ x, y }, i) => {
    if (Number.isFinite(y)) {
      const first = !Number.isFinite(points[i - 1]?.y);
      const alone = first && !Number.isFinite(points[i + 1]?.y);
      d += `${first ? "M" : "L"}${x.toFixed(2)} ${(19.5 - (18.5 * y) / (top || 1)).toFixed(2)}${alone ? "h0.2" : ""}`;
    }
  });
  path.setAttribute("class", className);
  path.setAttribute("d", d);
  return path;
}

let timer;
let looking = false;

// look asks how everything is, and again in a second, while somebody looks at the page.
async function look() {
  clearTimeout(timer);
  if (looking || document.hidden) {
    return;
  }
  looking = true;
  let again = true;
  try {
    if (!at("server").dataset.known) {
      const s = await asked("v2");
      at("server").textContent = `${s.name} ${s.version}`;
      at("server").dataset.known = "true";
    }
    const [entries, { model_stats: statistics }] = await Promise.all([posted("v2/repository/index", "{}"), asked("v2/models/stats")]);
    say("");
    list(entries);
    const now = { at: performance.now(), ...totals(statistics) };
    if (now.n < looks.at(-1)?.n || now.runs < looks.at(-1)?.runs) {
      looks = []; // another version
    }
    looks.push(now);
    looks = looks.filter((l) => now.at - l.at <= KEPT * INTERVAL);
    draw();
  } catch (e) {
    again = !(e instanceof Refused); // until there is a token
    say(e instanceof Refused ? e.message : `The server does not answer: ${e.message}`);
  } finally {
    looking = false;
  }
  if (again) {
    timer = setTimeout(look, INTERVAL);
  }
}
document.onvisibilitychange = look;
look();
