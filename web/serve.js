// What answers a channel: it computes for a context, or compiles. What the first message says it is it stays.

import { Program } from "./program.js";
import { provided } from "./provided.js";
import { open } from "./cache.js";
import { Pool } from "./pool.js";

class Runner {
  #tensors = new Map();
  #graphs = new Map();
  #threads;
  #pool;

  constructor({ threads }) {
    this.#threads = threads;
  }

  create({ tensor, content }) {
    this.#tensors.set(tensor, new Uint8Array(content)); // a buffer, or how many zeros
  }

  write({ tensor, content }) {
    this.#tensors.get(tensor).set(new Uint8Array(content));
  }

  read({ tensor }) {
    return this.#tensors.get(tensor).slice().buffer;
  }

  async load({ graph, module, weights, weightsAt, threads, pages, inputs, outputs }) {
    let loaded;
    if (threads > 1) {
      this.#pool ??= new Pool(this.#threads, new URL("./pool.js", import.meta.url));
      loaded = await this.#pool.add(module, new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true }), threads);
    } else {
      loaded = new WebAssembly.Instance(module);
    }
    new Uint8Array(loaded.exports.memory.buffer).set(new Uint8Array(weights), weightsAt);
    this.#graphs.set(graph, { loaded, threads, inputs, outputs });
  }

  dispatch({ graph, inputs, outputs }) {
    const g = this.#graphs.get(graph);
    const memory = new Uint8Array(g.loaded.exports.memory.buffer);
    const from = new Map(inputs);
    const to = new Map(outputs);
    for (const { name, at } of g.inputs) {
      memory.set(this.#tensors.get(from.get(name)), at);
    }
    if (g.threads > 1) {
      this.#pool.run(g.loaded);
    } else {
      g.loaded.exports.run();
    }
    for (const { name, at, bytes } of g.outputs) {
      this.#tensors.get(to.get(name)).set(memory.subarray(at, at + bytes));
    }
  }

  free({ name }) {
    const g = this.#graphs.get(name);
    if (g?.threads > 1) {
      this.#pool.remove(g.loaded);
    }
    this.#tensors.delete(name);
    this.#graphs.delete(name);
  }

  answer(message) {
    return this[message.do](message);
  }
}

class Compiler {
  #options;
  #cache;
  #program;

  constructor(options) {
    this.#options = options;
    this.#cache = options.cache ? open() : undefined;
  }

  async answer({ text, buffers, level, threads }) {
    const key = await this.#cache?.key([text, this.#options.version, level, threads], buffers);
    const kept = await this.#cache?.get(key);
    if (kept !== undefined) {
      try {
        return await loadable(kept);
      } catch {
        // what was kept is no module any more, and is replaced
      }
    }
    const made = await this.#compile(text, buffers, level, threads);
    this.#cache?.put(key, made);
    return loadable(made);
  }

  async #compile(text, buffers, level, threads) {
    if (this.#program === undefined || this.#program.failed !== undefined) {
      const { Go } = provided.go ?? await import("./go.js");
      this.#program = await Program.start(Go, this.#options.wasm);
    }
    const { code, weights, error, ...rest } = this.#program.callJSON("compile", text, buffers, level, threads);
    if (error !== undefined) {
      throw new Error(error);
    }
    return { code: this.#program.bytes(...code), weights: this.#program.bytes(...weights).buffer, ...rest };
  }
}

async function loadable({ code, ...rest }) {
  return { ...rest, module: await WebAssembly.compile(code) };
}

/** Serves a port. */
export function serve(port) {
  let server;
  let turn = Promise.resolve();
  port.onmessage = ({ data }) => {
    const { request, ...message } = data;
    if (server === undefined) {
      server = message.role === "run" ? new Runner(message) : new Compiler(message);
      port.postMessage({ request });
      return;
    }
    if (server instanceof Runner) {
      let value;
      try {
        value = server.answer(message);
      } catch (e) {
        refuse(request, e, message);
        return;
      }
      if (value instanceof Promise) {
        settle(value);
      } else {
        reply(request, value);
      }
      return;
    }
    turn = turn.then(() => settle(server.answer(message)));

    function settle(promise) {
      return promise.then((x) => reply(request, x)).catch((e) => refuse(request, e, message));
    }
  };

  function reply(request, value) {
    if (request !== undefined) {
      port.postMessage({ request, value }, value instanceof ArrayBuffer ? [value] : value?.weights ? [value.weights] : []);
    }
  }

  // What nobody waits for fails the whole context.
  function refuse(request, e, message) {
    port.postMessage(request === undefined ? { failure: `${message.do} failed: ${e.message}` } : { request, error: e.message });
  }
}
