// The part of Web IDL that WebNN needs: true interface objects over implementations in JavaScript, and the conversion of what a page gives to the
// types of the table in idl.js. Implementations see converted values alone, and each other in place of the page's objects.

import { dictionaries, enums, interfaces, typedefs } from "./idl.js";

// implementations holds what stands behind the objects of the interface: it is their brand.
const implementations = new WeakMap();

// behind has the constructors of the implementations by the names of their interfaces.
const behind = new Map();

/** A buffer or a view of one: its bytes are read when they are asked for. */
export class BufferSource {
  constructor(value, type) {
    this.value = value;
    this.type = type; // "ArrayBuffer", "SharedArrayBuffer", "DataView" or the name of a typed array
  }

  get bytes() {
    const { value } = this;
    return ArrayBuffer.isView(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : new Uint8Array(value);
  }
}

const getterOf = (object, name) => Object.getOwnPropertyDescriptor(object, name)?.get;

// succeeds says whether a getter of a built-in object takes v, which only those of its kind do, of whatever realm they are.
function succeeds(getter, v) {
  try {
    getter.call(v);
    return true;
  } catch {
    return false;
  }
}

const byteLength = getterOf(ArrayBuffer.prototype, "byteLength");
const resizable = getterOf(ArrayBuffer.prototype, "resizable");
const tagOf = getterOf(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag);

// Pages that are not isolated have SharedArrayBuffers by WebAssembly alone.
let shared;
function sharedPrototype() {
  if (shared === undefined) {
    try {
      shared = Object.getPrototypeOf(new WebAssembly.Memory({ shared: true, initial: 0, maximum: 0 }).buffer);
    } catch {
      shared = globalThis.SharedArrayBuffer?.prototype ?? null;
    }
  }
  return shared;
}

const isShared = (v) => sharedPrototype() !== null && succeeds(getterOf(sharedPrototype(), "byteLength"), v);

function toBufferSource(v, what) {
  const buffer = ArrayBuffer.isView(v) ? v.buffer : v;
  const plain = isObject(buffer) && succeeds(byteLength, buffer);
  if (!plain && !(isObject(buffer) && isShared(buffer))) {
    throw new TypeError(`${what} is not a buffer or a view of one`);
  }
  if (plain ? resizable?.call(buffer) : getterOf(sharedPrototype(), "growable")?.call(buffer)) {
    throw new TypeError(`${what} is resizable`);
  }
  const type = buffer !== v ? tagOf.call(v) ?? "DataView" : plain ? "ArrayBuffer" : "SharedArrayBuffer";
  return new BufferSource(v, type);
}

const isObject = (v) => typeof v === "object" ? v !== null : typeof v === "function";

function toInteger(v, lowest, highest, what) {
  const x = Math.trunc(+v);
  if (!(x >= lowest && x <= highest)) {
    throw new TypeError(`${what} is ${+v}, which is not an integer from ${lowest} to ${highest}`);
  }
  return x + 0; // not -0
}

function toFinite(v, what) {
  const x = +v;
  if (!Number.isFinite(x)) {
    throw new TypeError(`${what} is ${x}, which is not finite`);
  }
  return x;
}

const lone = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

const plainTypes = {
  "boolean": (v) => Boolean(v),
  "DOMString": (v) => `${v}`,
  "USVString": (v) => `${v}`.replace(lone, "\uFFFD"),
  "double": toFinite,
  "float": (v, what) => toFinite(Math.fround(v), what),
  "unrestricted double": (v) => +v,
  "long": (v) => v | 0,
  "long!": (v, what) => toInteger(v, -(2 ** 31), 2 ** 31 - 1, what),
  "unsigned long": (v) => v >>> 0,
  "unsigned long!": (v, what) => toInteger(v, 0, 2 ** 32 - 1, what),
  "AllowSharedBufferSource": toBufferSource,
};

const generic = {
  sequence(v, what, [, item]) {
    const method = isObject(v) ? v[Symbol.iterator] : undefined;
    if (method === undefined || method === null) {
      throw new TypeError(`${what} is not a sequence`);
    }
    return toSequence(v, method, item, what);
  },

  record(v, what, [, , type]) {
    if (!isObject(v)) {
      throw new TypeError(`${what} is not an object`);
    }
    const out = new Map();
    for (const key of Reflect.ownKeys(v)) {
      if (Reflect.getOwnPropertyDescriptor(v, key)?.enumerable) {
        const name = plainTypes.USVString(key);
        out.set(name, convert(type, v[key], `${what}[${JSON.stringify(name)}]`));
      }
    }
    return out;
  },

  or(v, what, [, ...types]) {
    const sequence = types.find((t) => t[0] === "sequence");
    const method = sequence && isObject(v) ? v[Symbol.iterator] : undefined;
    if (method !== undefined && method !== null) {
      return toSequence(v, method, sequence[1], what);
    }
    if (types.includes("bigint")) {
      let number = v;
      const numeric = number++; // which is what ToNumeric makes of v
      if (typeof numeric === "bigint") {
        return numeric;
      }
      v = numeric;
    }
    return convert(types.find((t) => typeof t === "string" && t !== "bigint"), v, what);
  },
};

function toSequence(v, method, item, what) {
  const iterator = method.call(v);
  if (!isObject(iterator)) {
    throw new TypeError(`the iterator of ${what} is not an object`);
  }
  const { next } = iterator;
  const out = [];
  for (;;) {
    const result = next.call(iterator);
    if (!isObject(result)) {
      throw new TypeError(`the iterator of ${what} yields what is not an object`);
    }
    if (result.done) {
      return out;
    }
    out.push(convert(item, result.value, `${what}[${out.length}]`));
  }
}

// toDictionary returns the members that are given: defaults are the business of implementations.
function toDictionary(name, v, what) {
  if (v !== undefined && v !== null && !isObject(v)) {
    throw new TypeError(`${what} is not an object`);
  }
  const [parent, ...members] = dictionaries[name];
  const out = parent ? toDictionary(parent, v, what) : {};
  for (const [member, type, required] of members) {
    const x = v?.[member];
    if (x !== undefined) {
      out[member] = convert(type, x, `${what}.${member}`);
    } else if (required) {
      throw new TypeError(`${what} has no member ${member}`);
    }
  }
  return out;
}

const isInterface = (type) => Object.hasOwn(interfaces, type) || type === "GPUDevice";

/** Returns the implementation of an object, if it has that interface. */
export function implementationOf(name, v) {
  if (name === "GPUDevice") {
    return typeof globalThis.GPUDevice === "function" && v instanceof globalThis.GPUDevice ? v : undefined;
  }
  const found = isObject(v) ? implementations.get(v) : undefined;
  return found instanceof behind.get(name) ? found : undefined;
}

function convert(type, v, what) {
  if (typeof type !== "string") {
    return generic[type[0]](v, what, type);
  }
  if (plainTypes[type]) {
    return plainTypes[type](v, what);
  }
  if (typedefs[type]) {
    return convert(typedefs[type], v, what);
  }
  if (dictionaries[type]) {
    return toDictionary(type, v, what);
  }
  if (enums[type]) {
    const word = `${v}`;
    if (!enums[type].includes(word)) {
      throw new TypeError(`${what} is ${JSON.stringify(word)}, which is none of ${enums[type].join(", ")}`);
    }
    return word;
  }
  const implementation = implementationOf(type, v);
  if (implementation === undefined) {
    throw new TypeError(`${what} is not of type ${type}`);
  }
  return implementation;
}

const required = (params) => params.filter(([, , optional]) => !optional).length;

// convertAll chooses the overload and converts the arguments. Optional dictionaries that are not given are empty.
function convertAll(overloads, args, method) {
  const longest = Math.max(...overloads.map(([, ...params]) => params.length));
  const n = Math.min(args.length, longest);
  const fits = overloads.filter(([, ...params]) => required(params) <= n && n <= params.length);
  if (fits.length === 0) {
    const least = Math.min(...overloads.map(([, ...params]) => required(params)));
    throw new TypeError(`${method}: ${args.length} arguments are given, at least ${least} must be`);
  }
  const chosen = (accept) => fits.find(([, [, type]]) => accept(type, args[0]));
  const [, ...params] = fits.length > 1 && n > 0 ? chosen((type, v) => isInterface(type) && implementationOf(type, v)) ?? chosen(accepts) ?? fits[0] : fits[0];
  return params.map(([name, type, optional], i) =>
    optional && args[i] === undefined ? {} : convert(type, args[i], `${method}: ${name}`));
}

// accepts says whether the overload whose first argument has the type takes v, which is no object of an interface that others take.
function accepts(type, v) {
  return !isInterface(type) && Boolean(dictionaries[type]) === (isObject(v) || v === undefined || v === null);
}

/** Returns the page's object for an implementation, always the same. */
export function objectOf(implementation) {
  if (implementation.object === undefined) {
    const object = Object.create(constructors.get(implementation.constructor).prototype);
    implementations.set(object, implementation);
    implementation.object = object;
  }
  return implementation.object;
}

const constructors = new Map(); // of the page's objects, by those of the implementations

// returned turns what an implementation returns into what the page gets.
function returned(type, v) {
  if (type[0] === "Promise") {
    return Object.hasOwn(interfaces, type[1]) ? v.then((x) => returned(type[1], x)) : v;
  }
  if (type[0] === "sequence") {
    return v.map((x) => returned(type[1], x));
  }
  return Object.hasOwn(interfaces, type) ? objectOf(v) : v;
}

function member(iface, name, type, invoke) {
  const promises = type[0] === "Promise";
  return function (object, args) {
    try {
      const implementation = implementationOf(iface, object);
      if (implementation === undefined) {
        throw new TypeError(`${iface}.${name}: Illegal invocation`);
      }
      return returned(type, invoke(implementation, args));
    } catch (e) {
      if (promises) {
        return Promise.reject(e);
      }
      throw e;
    }
  };
}

const define = (object, name, descriptor) => Object.defineProperty(object, name, { configurable: true, ...descriptor });

/** Makes the interface object of a class that implements it. */
export function makeInterface(name, Implementation) {
  const { attributes, operations } = interfaces[name];
  const { constructor: constructs, ...methods } = { constructor: undefined, ...operations };
  const made = { [name]: class {
    constructor(...args) {
      if (!constructs) {
        throw new TypeError("Illegal constructor");
      }
      const implementation = new Implementation(...convertAll(constructs, args, `new ${name}`));
      implementation.object = this;
      implementations.set(this, implementation);
    }
  } }[name];
  define(made, "length", { value: constructs ? required(constructs[0].slice(1)) : 0 });
  for (const [attribute, type] of Object.entries(attributes)) {
    const get = member(name, attribute, type, (implementation) => implementation[attribute]);
    define(made.prototype, attribute, { ...Object.getOwnPropertyDescriptor({ get [attribute]() { return get(this); } }, attribute) });
  }
  for (const [method, overloads] of Object.entries(methods)) {
    const call = member(name, method, overloads[0][0], (implementation, args) =>
      implementation[method](...convertAll(overloads, args, `${name}.${method}`)));
    const value = { [method](...args) { return call(this, args); } }[method];
    define(value, "length", { value: Math.min(...overloads.map(([, ...params]) => required(params))) });
    define(made.prototype, method, { value, enumerable: true, writable: true });
  }
  define(made.prototype, Symbol.toStringTag, { value: name });
  behind.set(name, Implementation);
  constructors.set(Implementation, made);
  return made;
}

/** Defines navigator.ml on the prototype of the navigator. */
export function defineEntry(navigator, ml) {
  const prototype = Object.getPrototypeOf(navigator);
  const brand = getterOf(prototype, "userAgent");
  const { get } = Object.getOwnPropertyDescriptor({ get ml() {
    if (this !== navigator && !(brand && succeeds(brand, this))) {
      throw new TypeError("Illegal invocation");
    }
    return objectOf(ml);
  } }, "ml");
  define(prototype, "ml", { get, set: undefined, enumerable: true });
}
