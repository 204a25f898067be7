// What a Web Worker has around a script, in a thread of Node.
import { parentPort, workerData } from "node:worker_threads";

globalThis.postMessage = (message, transfer) => parentPort.postMessage(message, transfer);
Object.defineProperty(globalThis, "onmessage", { set: (f) => parentPort.on("message", (data) => f({ data })) });
globalThis.indexedDB = { open() { throw new DOMException("nothing may be kept", "SecurityError"); } };
await import(workerData);
