// The checker: Concord on the thread of the page, where it checks calls and computes nothing.

import { Program } from "./program.js";
import { provided } from "./provided.js";

const wasmHeader = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);

async function fetched(url) {
  if (url.protocol === "file:") { // in Node
    const { readFile } = await import("node:fs/promises");
    return new Response(await readFile(url), { headers: { "Content-Type": "application/wasm" } });
  }
  const response = await fetch(url, { credentials: "same-origin" });
  if (!response.ok) {
    throw new Error(`${url}: ${response.status} ${response.statusText}`);
  }
  return response;
}

/** Loads the program at base and starts it. */
export async function loadChecker(base) {
  await WebAssembly.compile(wasmHeader); // so that a policy that forbids WebAssembly is told of at once
  const url = new URL("concord.wasm", base);
  const [{ Go, version }, response] = await Promise.all([
    provided.go ?? import(/* webpackIgnore: true */ /* @vite-ignore */ new URL("go.js", base).href),
    fetched(url),
  ]);
  const module = response.headers.get("Content-Type") === "application/wasm" ? // which may not have parameters
    await WebAssembly.compileStreaming(response) : await WebAssembly.compile(await response.arrayBuffer());
  return new Checker(await Program.start(Go, module), module, version);
}

class Checker {
  #program;

  /** Functions that are told why the program has failed. */
  failing = new Set();

  constructor(program, module, version) {
    this.#program = program;
    this.module = module;
    this.version = version;
    this.fused = isFused(program.call("probe"));
  }

  get failed() {
    return this.#program.failed;
  }

  /** Makes a call, in the flat form of docs/webnn-session.md, and returns the reply. Errors are thrown. */
  call(on, method, args, id) {
    let reply;
    try {
      reply = this.#program.callJSON("check", JSON.stringify({ on, call: method, args, id }));
    } catch (e) {
      if (this.failed !== undefined) { // and it is not the text alone that is too long
        const failing = [...this.failing];
        this.failing.clear();
        failing.forEach((f) => f(this.failed));
      }
      throw new DOMException(e.message, "UnknownError");
    }
    if (reply.error === undefined) {
      return reply;
    }
    const { name, message } = reply.error;
    const standard = { TypeError, RangeError }[name];
    throw standard ? new standard(message) : new DOMException(message, name === "SyntaxError" ? "UnknownError" : name); // too long to be read
  }

  /** Forgets objects, and destroys one. */
  release(names, destroyed) {
    if (this.failed !== undefined) {
      return;
    }
    if (destroyed !== undefined) {
      this.call(destroyed, "destroy", []);
    }
    if (names.length > 0) {
      this.call("host", "release", names);
    }
  }
}

// isFused says whether the multiply-add of relaxed SIMD is fused. An engine that does not know the instruction refuses the module.
function isFused(probe) {
  try {
    return new WebAssembly.Instance(new WebAssembly.Module(probe)).exports.fused() === 1;
  } catch {
    return false;
  }
}
