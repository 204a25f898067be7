// Runs a module that concord export wrote over shell.js, under node, and prints its output's bytes as JSON for both builders.
// Arguments: wasm_exec.js, main.wasm, shell.js and the exported module as modules, its weights, and a file with the input.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [exec, wasm, shell, exported, weights, input] = process.argv.slice(2);
await import(pathToFileURL(exec));
const { connect } = await import(pathToFileURL(shell));
const go = new globalThis.Go();
const { instance } = await WebAssembly.instantiate(readFileSync(wasm), go.importObject);
go.run(instance);
const { ml, ...builders } = connect(globalThis.concordWebNN);
const { buildGraph, inputs, outputs } = await import(pathToFileURL(exported));

const context = await ml.createContext();
const results = {};
for (const name of ['MLGraphBuilder', 'SessionBuilder']) {
  globalThis.MLGraphBuilder = builders[name]; // which the module takes for the browser's
  const { graph } = await buildGraph(context, new Uint8Array(readFileSync(weights)).buffer);
  const x = await context.createTensor({ ...inputs.x, writable: true });
  const y = await context.createTensor({ ...outputs.y, readable: true });
  context.writeTensor(x, new Uint8Array(readFileSync(input)));
  context.dispatch(graph, { x }, { y });
  results[name] = Buffer.from(await context.readTensor(y)).toString('base64');
}
console.log(JSON.stringify(results));
process.exit(0);
