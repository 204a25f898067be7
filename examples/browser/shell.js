// The interface of WebNN for a page, by messages to the host that main.go makes. A call becomes a message of its own, or, with
// SessionBuilder, a part of the one message that build() sends. docs/webnn-session.md describes the messages.

const idOf = Symbol('id'), attributesOf = Symbol('attributes'), invoke = Symbol('invoke');

// The methods and attributes of the interfaces beside MLGraphBuilder.
const members = {
  ML: [['createContext'], []],
  MLContext: [['createConstantTensor', 'createTensor', 'destroy', 'dispatch', 'opSupportLimits', 'readTensor', 'writeTensor'], ['accelerated']],
  MLGraph: [['destroy'], []],
  MLOperand: [[], ['dataType', 'shape']],
  MLTensor: [['destroy'], ['constant', 'dataType', 'readable', 'shape', 'writable']],
};

// The methods and the attribute that are promises, which reject where others throw.
const promised = new Set(['build', 'createConstantTensor', 'createContext', 'createTensor', 'lost', 'readTensor']);

// member makes the function of a method, or of an attribute's getter, of which the receiver must be of class c, as Web IDL says.
const member = (c, name, f) => ({ [name](...args) {
  try {
    if (!(this instanceof c)) throw new TypeError('Illegal invocation');
    return f(this, args);
  } catch (e) {
    if (promised.has(name)) return Promise.reject(e);
    throw e;
  }
} })[name];

// pack turns an argument into its flat form; bytes collects what travels beside the message. The text 'undefined' is converted
// as undefined is: no number, and no word of an enumeration.
function pack(v, bytes) {
  if (typeof v === 'bigint') return { $bigint: String(v) };
  if (typeof v === 'number' && (!Number.isFinite(v) || Object.is(v, -0))) return Object.is(v, -0) ? '-0' : String(v);
  if (typeof v !== 'object' || v === null) return v === undefined ? 'undefined' : typeof v === 'symbol' || typeof v === 'function' ? {} : v;
  if (v[idOf]) return { $ref: v[idOf] };
  const isView = ArrayBuffer.isView(v), type = Object.prototype.toString.call(v).slice(8, -1);
  if (isView || type === 'ArrayBuffer' || type === 'SharedArrayBuffer') {
    const part = isView ? new Uint8Array(v.buffer, v.byteOffset, v.byteLength) : new Uint8Array(v);
    const at = [Math.ceil(bytes.length / 8) * 8, part.length];
    bytes.length = at[0] + part.length;
    bytes.parts.push([at[0], part.slice()]); // the page may change its buffer before a session is sent
    return { $buffer: { type, at } };
  }
  if (typeof v[Symbol.iterator] === 'function') return Array.from(v, (x) => pack(x, bytes));
  const members = Object.entries(v).filter(([, x]) => x !== undefined);
  return Object.fromEntries(members.map(([k, x]) => [k.startsWith('$') ? '$' + k : k, pack(x, bytes)]));
}

// packAll turns the arguments of a call into their flat form. Those at the end that are undefined count as not given.
function packAll(args, bytes) {
  const given = args.findLastIndex((a) => a !== undefined) + 1;
  return args.slice(0, given).map((a) => pack(a, bytes));
}

const noBytes = () => ({ length: 0, parts: [] });

let connections = 0;

// connect returns the interface over a host: ml, the classes of the interface, and SessionBuilder, which is used like
// MLGraphBuilder but learns of errors, and of the shapes of operands, not before build().
export function connect(host) {
  const prefix = `${++connections}.`; // several connections to one host keep apart
  let count = 0;
  const send = (message, bytes, reply) => {
    const data = new Uint8Array(bytes.length);
    for (const [at, part] of bytes.parts) data.set(part, at);
    const error = host(JSON.stringify(message), data, (text, result) => reply(JSON.parse(text), result));
    if (error) throw error;
  };
  const unused = new FinalizationRegistry((id) =>
    send({ on: 'host', call: 'release', args: [id] }, noBytes(), () => {}));

  const classes = { MLGraphBuilder, SessionBuilder };
  const define = (c, name, property) => Object.defineProperty(c.prototype, name, { enumerable: true, configurable: true, ...property });
  const addMethods = (c, names) => names.forEach((name) =>
    define(c, name, { writable: true, value: member(c, name, (o, args) => o[invoke](name, args)) }));
  const addAttribute = (c, name, f) => define(c, name, { get: member(c, name, f) });
  for (const [name, [methods, attributes]] of Object.entries(members)) {
    const c = classes[name] = { [name]: class { constructor() { throw new TypeError('Illegal constructor'); } } }[name];
    addMethods(c, methods);
    for (const a of attributes) addAttribute(c, a, (o) => o[attributesOf][a]);
  }
  addAttribute(classes.MLContext, 'lost', (o) => o[attributesOf].lost ??= call(o[idOf], 'lost', []));
  for (const c of [MLGraphBuilder, SessionBuilder]) addMethods(c, ['build', 'constant', 'input', ...host.methods]);
  for (const c of Object.values(classes)) c.prototype[invoke] = function (name, args) { return call(this[idOf], name, args); };

  // make makes an object with an id.
  function make(name, id, attributes = {}) {
    if (attributes.shape) Object.freeze(attributes.shape);
    return Object.create(classes[name].prototype, { [idOf]: { value: id }, [attributesOf]: { value: attributes } });
  }

  // wrap makes the object that a reply describes.
  function wrap(id, description) {
    const object = make(description.interface, id, description);
    unused.register(object, id);
    return object;
  }

  // outcome is what a reply stands for: a value, or an exception.
  function outcome(reply, data, args) {
    if (reply.error) {
      const { name, message } = reply.error;
      throw name === 'TypeError' ? new TypeError(message) : new DOMException(message, name);
    }
    if (reply.results) return reply.results.map((d, i) => wrap(reply.ids[i], d));
    if (reply.result) return wrap(reply.id, reply.result);
    if (reply.byteLength === undefined) return reply.value;
    const into = args[1];
    if (into === undefined) return data.buffer;
    (ArrayBuffer.isView(into) ? new Uint8Array(into.buffer, into.byteOffset) : new Uint8Array(into)).set(data); // throws if detached
  }

  // call makes one call. It returns a promise if the method does.
  function call(on, method, args) {
    const bytes = noBytes(), id = `o${prefix}${++count}`;
    const message = { on, call: method, args: packAll(args, bytes), id };
    let settled; // a function that yields the outcome
    let settle = (f) => { settled = f; };
    send(message, bytes, (reply, data) => settle(Object.assign(() => outcome(reply, data, args), { async: reply.async })));
    if (settled && !settled.async) return settled();
    return new Promise((resolve, reject) => {
      settle = (f) => queueMicrotask(() => { // not before the script has gone on, which may detach the buffer of a reading
        try { resolve(f()); } catch (e) { reject(e); }
      });
      if (settled) settle(settled);
    });
  }

  function MLGraphBuilder(context) {
    return call(null, 'MLGraphBuilder', [context]);
  }

  // How many results the methods have that return a list; the host says so only at build().
  const sequence = (n, options) => n + (options?.returnSequence ? 1 : 0);
  const lists = {
    gru: (args) => sequence(1, args[5]),
    lstm: (args) => sequence(2, args[5]),
    lstmCell: () => 2,
    split: (args) => typeof args[1] === 'number' ? args[1] : Array.from(args[1] ?? []).length,
  };

  function SessionBuilder(context) {
    const calls = [], bytes = noBytes();
    const note = (on, method, args) => {
      const id = `o${prefix}${++count}`;
      calls.push({ on, call: method, args: packAll(args, bytes), id });
      return id;
    };
    const builder = note(null, 'MLGraphBuilder', [context]);
    // The results of a list are called id.0, id.1 and so on.
    const items = (id, count) => Array.from({ length: Math.min(count, 8192) }, (_, i) => make('MLOperand', `${id}.${i}`));
    const build = (outputs) => new Promise((resolve, reject) => {
      const graph = note(builder, 'build', [outputs]), made = [];
      send({ webnnSession: 1, calls }, bytes, (reply, data) => {
        if (reply.error || reply.id === graph) {
          try { resolve(outcome(reply, data, [])); } catch (e) { reject(e); } // of several errors the first counts
        } else made.push(...(reply.ids ?? [reply.id]));
        if (reply.id === graph) queueMicrotask(() => // a reply must not call the host
          send({ on: 'host', call: 'release', args: made }, noBytes(), () => {}));
      });
    });
    Object.defineProperty(this, invoke, { value(name, args) {
      if (name === 'build') return build(...args);
      const id = note(builder, name, args);
      return Object.hasOwn(lists, name) ? items(id, lists[name](args)) : make('MLOperand', id);
    } });
  }

  return { ml: make('ML', 'ml'), ...classes };
}
