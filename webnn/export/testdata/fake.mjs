// A builder that makes nothing: it writes the calls that a module makes as a session in JSON.
//
//   node fake.mjs module.js weights.bin

import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const calls = [];
let count = 0;

class Operand {
  constructor() {
    this.id = "o" + count++;
  }
}

// The methods that return lists.
const lists = new Set(["split", "lstm", "lstmCell", "gru"]);

function value(v) {
  switch (typeof v) {
    case "number":
      return Number.isFinite(v) ? v : String(v);
    case "bigint":
      return { $bigint: String(v) };
    case "object":
      if (v instanceof Operand) {
        return { $ref: v.id };
      }
      if (ArrayBuffer.isView(v)) {
        const bytes = Buffer.from(v.buffer, v.byteOffset, v.byteLength);
        return { $buffer: { type: v.constructor.name, base64: bytes.toString("base64") } };
      }
      if (Array.isArray(v)) {
        return v.map(value);
      }
      return Object.fromEntries(Object.entries(v).map(([k, x]) => [k.startsWith("$") ? "$" + k : k, value(x)]));
  }
  return v;
}

class Builder {
  constructor(context) {
    calls.push({ on: null, call: "MLGraphBuilder", args: [{ $ref: context.id }], id: "builder" });
    return new Proxy(this, {
      get: (_, method) => (...args) => {
        const call = { on: "builder", call: method, args: args.map(value) };
        calls.push(call);
        if (method === "build") {
          call.id = "graph";
          return Promise.resolve({});
        }
        if (!lists.has(method)) {
          const result = new Operand();
          call.id = result.id;
          return result;
        }
        call.ids = [];
        return (function* () { // a pattern takes as many results as it has names
          for (;;) {
            const result = new Operand();
            call.ids.push(result.id);
            yield result;
          }
        })();
      },
    });
  }
}

globalThis.MLGraphBuilder = Builder;

const [module, weights] = process.argv.slice(2);
const { buildGraph } = await import(pathToFileURL(module));
const bytes = await readFile(weights);
calls.push({ on: "ml", call: "createContext", args: [], id: "context" });
const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
const result = await buildGraph({ id: "context" }, buffer);
process.stdout.write(JSON.stringify({ webnnSession: 1, calls, inputs: undefined }) + "\n");
if (!result.graph || !result.inputs || !result.outputs) {
  throw new Error("the module returns no graph with the descriptors of inputs and outputs");
}
