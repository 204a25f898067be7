// Concord itself: the program in concord.wasm, on whatever thread this is.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A running instance of the program. */
export class Program {
  #exports;

  /** Why the program has ended, if it has. */
  failed;

  /** Starts an instance. Go is the class that the distribution of Go comes with. */
  static async start(Go, module) {
    const go = new Go();
    const instance = await WebAssembly.instantiate(module, go.importObject);
    const program = new Program(instance.exports);
    go.run(instance).then(() => { program.failed ??= "the program has ended"; });
    return program;
  }

  constructor(exports) {
    this.#exports = exports;
  }

  /** Calls an exported function that answers with bytes, which are copied. given is a text, and buffers lie behind it in multiples of 64 bytes. */
  call(name, given = "", buffers = [], ...args) {
    if (this.failed !== undefined) {
      throw new Error(this.failed);
    }
    try {
      const text = encoder.encode(given);
      let at = Math.ceil(text.length / 64) * 64;
      const places = buffers.map((b) => {
        const place = at;
        at += Math.ceil(b.byteLength / 64) * 64;
        return place;
      });
      const room = this.#exports.room(buffers.length === 0 ? text.length : at) >>> 0;
      const memory = new Uint8Array(this.#exports.mem.buffer);
      memory.set(text, room);
      buffers.forEach((b, i) => memory.set(new Uint8Array(b), room + places[i]));
      if (buffers.length > 0 || args.length > 0) {
        args.unshift(text.length);
      }
      const length = this.#exports[name](...args);
      return this.bytes(this.#exports.reply() >>> 0, length);
    } catch (e) {
      this.failed ??= `the program has failed: ${e.message}`;
      throw e;
    }
  }

  /** Returns a copy of memory. */
  bytes(at, length) {
    return new Uint8Array(this.#exports.mem.buffer, at, length).slice();
  }

  /** Calls a function that answers with JSON. */
  callJSON(...args) {
    return JSON.parse(decoder.decode(this.call(...args)));
  }
}
