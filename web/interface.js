// What stands behind the objects of the interface. The checker, which is Concord on this thread, knows the state of every object and accepts or
// refuses each call at once; it never sees contents. These lie in a worker of the context, which computes. A compiler, which is Concord in another
// worker, makes modules of what builders have been called.

import { interfaces } from "./idl.js";
import { BufferSource, implementationOf, makeInterface } from "./webidl.js";
import { loadChecker } from "./checker.js";
import { Channel, haveWorkers } from "./channel.js";

const elementBytes = { float32: 4, float16: 2, int32: 4, uint32: 4, int64: 8, uint64: 8, int8: 1, uint8: 1 };
const byteLengthOf = ({ dataType, shape }) => shape.reduce((n, extent) => n * extent, elementBytes[dataType]);

const [defaultThreads, mostThreads] = [4, 16];
const restTime = 5000; // milliseconds
/** How contexts may compute. */
export const levels = ["emulated", "fused", "loose"]; // by their numbers in package engine/wasm

// named returns an error by the name that the standard gives it. Of those that browsers throw, as a DataCloneError, it is another one.
const named = (e, method, name) => e.name === "InvalidStateError" ? e : new DOMException(`${method}: ${e.message}`, name);

const invalidState = (message) => new DOMException(message, "InvalidStateError");

// collected gives back what belongs to objects that nobody can reach any more: of a context the worker, else what that has of the name "free".
const collected = new FinalizationRegistry(({ checker, names, channel, free, lose }) => {
  checker.failing.delete(lose);
  if (free !== undefined) {
    channel.send({ do: "free", name: free });
  } else if (channel !== undefined) {
    channel.close();
  }
  checker.release(names, channel && names[0]);
});

// loses returns a function that does not hold the context.
function loses(context) {
  const weak = new WeakRef(context);
  return (message) => weak.deref()?.lose(message);
}

let count = 0;
const newName = (kind) => `${kind}${++count}`; // of an object, in the checker and in workers

// references are written with the names that the checker knows, or, in what the compiler gets, with those within a builder, so that equal graphs
// are equal texts.
let within = false;

function written(session) {
  within = true;
  try {
    return JSON.stringify(session); // which throws if it is too long
  } finally {
    within = false;
  }
}

class Named {
  constructor(name, local) {
    this.name = name;
    this.local = local;
  }

  toJSON() {
    return { $ref: within ? this.local : this.name };
  }
}

// Contents are bytes that the compiler gets beside the text.
class Contents {
  constructor(type) {
    this.type = type;
    this.bytes = undefined; // an ArrayBuffer, or a promise of one
    this.at = 0;
    this.length = 0;
  }

  toJSON() {
    return { $buffer: { type: this.type, at: [this.at, this.length] } };
  }
}

// flat turns a converted argument into what JSON can write.
function flat(v) {
  switch (typeof v) {
    case "bigint":
      return { $bigint: String(v) };
    case "number":
      return Number.isFinite(v) && !Object.is(v, -0) ? v : Object.is(v, -0) ? "-0" : String(v);
    case "object":
      if (v instanceof BufferSource) {
        return { $buffer: { type: v.type, at: [0, v.value.byteLength] } };
      }
      if (Array.isArray(v)) {
        return v.map(flat);
      }
      if (v instanceof Map) {
        return Object.fromEntries(Array.from(v, ([name, x]) => [name.startsWith("$") ? `$${name}` : name, flat(x)]));
      }
      if (Object.getPrototypeOf(v) === Object.prototype) {
        return Object.fromEntries(Object.entries(v).map(([name, x]) => [name, flat(x)]));
      }
  }
  return v; // what is left writes itself
}

class Entry {
  constructor(options) {
    this.options = options;
    this.compiler = undefined;
    this.compiling = 0;
    this.checker = undefined;
  }

  async createContext(options) {
    if (typeof globalThis.GPUDevice === "function" && options instanceof globalThis.GPUDevice) {
      options = {};
    }
    let channel;
    try {
      const checker = await this.check();
      channel = new Channel(this.options.base, { role: "run", threads: this.threads(options) });
      await channel.ready;
      return new Context(this, checker, channel, options);
    } catch (e) {
      channel?.close();
      throw new DOMException(`ML.createContext: ${e.message}`, "NotSupportedError");
    }
  }

  // threads is how many compute a dispatch: shared memory is for pages that are isolated.
  threads({ powerPreference }) {
    if (globalThis.crossOriginIsolated !== true || !haveWorkers() || powerPreference === "low-power") {
      return 1;
    }
    const cores = globalThis.navigator?.hardwareConcurrency ?? 1;
    return Math.max(1, Math.min(Math.trunc(this.options.threads ?? Math.min(cores, defaultThreads)) || 1, mostThreads));
  }

  // check returns the checker, which the first call loads, and the first one after it has failed.
  async check() {
    const before = this.checker;
    if (before === undefined || (await before.catch(() => {}))?.failed !== undefined && this.checker === before) {
      this.checker = loadChecker(this.options.base);
      this.checker.catch(() => { this.checker = undefined; });
    }
    return this.checker;
  }

  // start starts the compiler, when the first builder is made, so that it is there at build().
  start({ module, version }) {
    if (this.compiler?.failed !== undefined) {
      this.compiler = undefined;
    }
    this.compiler ??= new Channel(this.options.base, { role: "compile", wasm: module, version, cache: this.options.cache ?? true });
    this.rest();
    return this.compiler;
  }

  // rest ends the compiler when it has had nothing to do for some time, and so gives its memory back.
  rest() {
    clearTimeout(this.idle);
    if (this.compiling === 0) {
      this.idle = setTimeout(() => {
        this.compiler?.close();
        this.compiler = undefined;
      }, restTime);
      this.idle.unref?.(); // in Node
    }
  }

  // compile returns what the compiler makes of a session.
  async compile(text, buffers, { level, threads, checker }) {
    this.compiling++;
    try {
      return await this.start(checker).request({ text, buffers, level, threads }, buffers);
    } finally {
      this.compiling--;
      this.rest();
    }
  }
}

class Context extends Named {
  constructor(entry, checker, channel, options) {
    super(newName("c"));
    const description = checker.call("ml", "createContext", [flat(options)], this.name).result;
    this.entry = entry;
    this.checker = checker;
    this.channel = channel;
    this.accelerated = description.accelerated;
    this.level = levels.indexOf(entry.options.level ?? (checker.fused ? "fused" : "emulated"));
    this.threads = entry.threads(options);
    this.waiting = new Set(); // functions that reject what depends on the context
    this.lost = new Promise((resolve) => { this.resolveLost = resolve; });
    const lose = loses(this); // as the browser holds workers
    channel.onfailure = lose;
    checker.failing.add(lose);
    collected.register(this, { checker, names: [this.name], channel, lose });
  }

  call(method, ...args) {
    return this.checker.call(this.name, method, args.map(flat));
  }

  // settled is a promise that is rejected when the context is lost before.
  settled(promise, waiting = []) {
    return new Promise((resolve, reject) => {
      const sets = [this.waiting, ...waiting];
      const end = (settle) => (v) => {
        sets.forEach((set) => set.delete(fail));
        settle(v);
      };
      const fail = end(reject);
      sets.forEach((set) => set.add(fail));
      promise.then(end(resolve), fail);
      fail.context = this; // which must not be collected before
    });
  }

  lose(message) {
    if (this.lostBy !== undefined) {
      return;
    }
    this.lostBy = message;
    try {
      this.checker.release([], this.name);
    } catch {
      // it has failed, and with it all of its contexts
    }
    this.channel.close();
    for (const fail of [...this.waiting]) {
      fail(invalidState(`the context is lost: ${message}`));
    }
    this.resolveLost({ message });
  }

  destroy() {
    this.lose("destroy was called");
  }

  async create(method, args, content) {
    const name = newName("t");
    const { result } = this.checker.call(this.name, method, args.map(flat), name);
    try {
      const message = { do: "create", tensor: name, content: content?.() ?? byteLengthOf(result) };
      await this.settled(this.channel.request(message, content ? [message.content] : []));
    } catch (e) {
      this.checker.release([name], name); // its bytes are free again
      throw named(e, `MLContext.${method}`, "UnknownError");
    }
    return new Tensor(this, name, result);
  }

  createTensor(descriptor) {
    return this.create("createTensor", [descriptor]);
  }

  createConstantTensor(descriptor, inputData) {
    return this.create("createConstantTensor", [descriptor, inputData], () => inputData.bytes.slice().buffer);
  }

  writeTensor(tensor, inputData) {
    this.call("writeTensor", tensor, inputData);
    const content = inputData.bytes.slice().buffer;
    this.channel.send({ do: "write", tensor: tensor.name, content }, [content]);
  }

  async readTensor(tensor, outputData) {
    this.call("readTensor", tensor, ...outputData ? [outputData] : []);
    let content;
    try {
      content = await this.settled(this.channel.request({ do: "read", tensor: tensor.name }), [tensor.waiting]);
    } catch (e) {
      throw named(e, "MLContext.readTensor", "UnknownError");
    }
    if (!outputData) {
      return content;
    }
    const to = outputData.bytes; // throws if it is detached
    if (to.length < content.byteLength) {
      throw new TypeError("MLContext.readTensor: outputData has become too short");
    }
    to.set(new Uint8Array(content));
  }

  dispatch(graph, inputs, outputs) {
    this.call("dispatch", graph, inputs, outputs);
    const names = (tensors) => Array.from(tensors, ([name, tensor]) => [name, tensor.name]);
    this.channel.send({ do: "dispatch", graph: graph.name, inputs: names(inputs), outputs: names(outputs) });
  }

  opSupportLimits() {
    this.limits ??= JSON.stringify(this.call("opSupportLimits").value);
    return JSON.parse(this.limits);
  }
}

// Owned is what a context has in its worker.
class Owned extends Named {
  constructor(context, name) {
    super(name);
    this.context = context;
    this.waiting = new Set();
    collected.register(this, { checker: context.checker, names: [name], channel: context.channel, free: name });
  }

  destroy() {
    this.context.checker.call(this.name, "destroy", []);
    this.context.channel.send({ do: "free", name: this.name });
    for (const fail of [...this.waiting]) {
      fail(invalidState("the tensor was destroyed before it was read"));
    }
  }
}

class Graph extends Owned {}

class Tensor extends Owned {
  constructor(context, name, { dataType, shape, readable, writable, constant }) {
    super(context, name);
    Object.assign(this, { dataType, shape: Object.freeze(shape), readable, writable, constant });
  }
}

class Operand extends Named {
  constructor(builder, name, local, { dataType, shape }) {
    super(name, local);
    this.builder = builder; // the checker knows the operands of a builder for as long as it or one of them can be reached
    this.dataType = dataType;
    this.shape = Object.freeze(shape);
  }
}

const lists = (method) => interfaces.MLGraphBuilder.operations[method][0][0][0] === "sequence";

class Builder extends Named {
  constructor(context) {
    super(newName("b"), "b");
    const { checker } = context;
    checker.call(null, "MLGraphBuilder", [context], this.name);
    context.entry.start(checker);
    this.context = context;
    this.calls = []; // what the compiler gets
    this.contents = [];
    this.names = [this.name];
    collected.register(this, { checker, names: this.names });
  }

  // call makes a call that yields operands, and notes it in the form that the compiler gets.
  call(method, args, noted = args) {
    const local = String(this.names.length);
    const name = `${this.name}.${local}`;
    const { result, results = [result] } = this.context.checker.call(this.name, method, args, name);
    const at = lists(method) ? results.map((_, i) => `.${i}`) : [""];
    const operands = results.map((description, i) => new Operand(this, name + at[i], local + at[i], description));
    this.names.push(...operands.map((o) => o.name));
    this.calls.push({ on: "b", call: method, args: noted, id: local });
    return lists(method) ? operands : operands[0];
  }

  input(name, descriptor) {
    return this.call("input", [name, flat(descriptor)]);
  }

  constant(...args) {
    let [descriptor, content] = args;
    if (descriptor instanceof Tensor) {
      const { dataType, shape, context } = descriptor;
      const contents = new Contents("ArrayBuffer");
      const operand = this.call("constant", [descriptor], [{ dataType, shape }, contents]);
      contents.bytes = context.channel.request({ do: "read", tensor: descriptor.name }); // it may be destroyed before the graph is built
      contents.bytes.catch(() => {}); // build looks at it
      this.contents.push(contents);
      return operand;
    }
    if (!(content instanceof BufferSource)) {
      return this.call("constant", args.map(flat));
    }
    const contents = new Contents(content.type);
    descriptor = flat(descriptor);
    const operand = this.call("constant", [descriptor, flat(content)], [descriptor, contents]);
    contents.bytes = content.bytes.slice().buffer;
    this.contents.push(contents);
    return operand;
  }

  async build(outputs) {
    const { context } = this;
    const name = newName("g");
    const operands = flat(outputs);
    context.checker.call(this.name, "build", [operands], name);
    const { calls, contents } = this;
    this.calls = this.contents = [];
    try {
      await context.settled(this.load(name, calls, contents, operands));
    } catch (e) {
      context.checker.release([name], name);
      throw named(e, "MLGraphBuilder.build", "OperationError");
    }
    return new Graph(context, name);
  }

  async load(name, calls, contents, outputs) {
    const { context } = this;
    const { entry, channel } = context;
    const buffers = await Promise.all(contents.map(({ bytes }) => bytes));
    let end = 0;
    contents.forEach((c, i) => {
      c.at = end;
      c.length = buffers[i].byteLength;
      end += Math.ceil(c.length / 64) * 64;
    });
    const text = written({ webnnSession: 1, calls: [
      { on: null, call: "MLGraphBuilder", args: [{ $ref: "c" }], id: "b" }, ...calls, { on: "b", call: "build", args: [outputs], id: "g" },
    ] });
    const made = await entry.compile(text, buffers, context);
    await channel.request({ do: "load", graph: name, ...made }, [made.weights]);
  }
}

for (const method of Object.keys(interfaces.MLGraphBuilder.operations)) {
  if (!Object.hasOwn(Builder.prototype, method)) {
    Builder.prototype[method] = function (...args) {
      return this.call(method, args.map(flat));
    };
  }
}

/** Makes the entry to the interface, which loads what it needs from options.base. */
export const makeEntry = (options) => new Entry(options);

/** The interface objects by their names. */
export const classes = Object.fromEntries(Object.entries({
  ML: Entry, MLContext: Context, MLGraph: Graph, MLOperand: Operand, MLTensor: Tensor, MLGraphBuilder: Builder,
}).map(([name, implementation]) => [name, makeInterface(name, implementation)]));

/** Returns how a context computes, by the name that the option has. */
export function levelOf(context) {
  return levels[implementationOf("MLContext", context)?.level];
}
