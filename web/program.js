// Concord itself: the program in concord.wasm, on whatever thread this is.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const aligned = (n) => Math.ceil(n / 64) * 64;

/** A running instance of the program. */
export class Program {
  #exports;
  #exchange; // where the program says where room is, how much, and the last answer
  #bytes;
  #words;

  /** Why the program has ended, if it has. */
  failed;

  /** Starts an instance. Go is the class that the distribution of Go comes with. */
  static async start(Go, module) {
    const go = new Go();
    const instance = await WebAssembly.instantiate(module, go.importObject);
    const program = new Program();
    go.run(instance).then(() => "the program has ended", (e) => e.message).then((why) => { program.failed ??= why; });
    program.#exports = instance.exports;
    program.#exchange = (instance.exports.exchange() >>> 0) / 4;
    return program;
  }

  // Looks at the memory, which has moved if it has grown.
  #look() {
    const { buffer } = this.#exports.mem;
    if (this.#bytes?.buffer !== buffer) {
      this.#bytes = new Uint8Array(buffer);
      this.#words = new Uint32Array(buffer);
    }
  }

  // Puts a text into the room, and buffers behind it in multiples of 64 bytes, and returns the length of the text.
  #put(text, buffers) {
    const behind = buffers.reduce((n, b) => n + aligned(b.byteLength), 0);
    const most = aligned(3 * text.length) + behind; // of UTF-8
    this.#look();
    if (this.#words[this.#exchange + 1] < most) {
      this.#exports.room(Math.max(most, 4096));
      this.#look();
    }
    const room = this.#words[this.#exchange];
    const { written } = encoder.encodeInto(text, this.#bytes.subarray(room, room + most));
    let at = room + aligned(written);
    for (const b of buffers) {
      this.#bytes.set(new Uint8Array(b), at);
      at += aligned(b.byteLength);
    }
    return written;
  }

  #call(name, text, buffers, args) {
    if (this.failed !== undefined) {
      throw new Error(this.failed);
    }
    try {
      const length = this.#exports[name](this.#put(text, buffers), ...args);
      this.#look();
      const at = this.#words[this.#exchange + 2];
      return this.#bytes.subarray(at, at + length);
    } catch (e) {
      this.failed ??= `the program has failed: ${e.message}`;
      throw e;
    }
  }

  /** Calls an exported function that answers with bytes. */
  call(name, text = "", buffers = [], ...args) {
    return this.#call(name, text, buffers, args).slice();
  }

  /** Calls a function that answers with JSON. */
  callJSON(name, text, buffers = [], ...args) {
    return JSON.parse(decoder.decode(this.#call(name, text, buffers, args)));
  }

  /** Returns a copy of memory. */
  bytes(at, length) {
    this.#look();
    return this.#bytes.slice(at, at + length);
  }
}
