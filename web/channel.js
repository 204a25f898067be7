// A channel to a worker: requests are answered in any order, and all of them fail when the worker does.

import { provided } from "./provided.js";

// What stands for a worker in shared and service workers, which have none: it computes on their thread.
class Inline {
  #port;

  constructor(base) {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.onmessage = (event) => this.onmessage(event);
    port1.onmessageerror = () => this.onmessageerror();
    Promise.resolve(provided.serve ?? import(/* webpackIgnore: true */ /* @vite-ignore */ new URL("serve.js", base).href))
      .then(({ serve }) => serve(port2))
      .catch((e) => this.onerror(e));
  }

  postMessage(message, transfer) {
    this.#port.postMessage(message, transfer);
  }

  terminate() {
    this.#port.close();
  }
}

/** Whether there are workers here. */
export const haveWorkers = () => typeof Worker === "function";

// made makes a worker of worker.js at base, also where that is of another origin, which only modules are loaded from.
function made(base) {
  if (!haveWorkers()) {
    return new Inline(base);
  }
  const url = new URL("worker.js", base);
  if (url.origin === globalThis.location?.origin || url.protocol === "file:") {
    return new Worker(url, { type: "module" });
  }
  const script = URL.createObjectURL(new Blob([`import ${JSON.stringify(url.href)};`], { type: "text/javascript" }));
  try {
    return new Worker(script, { type: "module" });
  } finally {
    setTimeout(() => URL.revokeObjectURL(script), 60000); // the worker has read it by then
  }
}

export class Channel {
  #worker;
  #requests = new Map();
  #count = 0;

  /** Called with a message when the worker fails, but not when the channel is closed. */
  onfailure = () => {};

  /** Why the channel is of no use any more. */
  failed;

  /** Starts a worker, to which the first message goes. If there can be none the channel has failed. */
  constructor(base, first) {
    try {
      this.#worker = made(base);
    } catch (e) {
      this.failed = e.message;
      this.ready = Promise.reject(e);
      this.ready.catch(() => {});
      return;
    }
    this.#worker.onmessage = ({ data }) => this.#receive(data);
    this.#worker.onerror = (event) => {
      event.preventDefault?.();
      this.#fail(event.message || "a worker could not be started, or has failed");
    };
    this.#worker.onmessageerror = () => this.#fail("a worker ran out of memory");
    this.ready = this.request(first);
    this.ready.catch(() => {}); // others see that the channel has failed
  }

  /** Asks the worker and returns a promise of its answer. */
  request(message, transfer = []) {
    const request = ++this.#count;
    return new Promise((resolve, reject) => {
      if (this.failed !== undefined) {
        reject(new Error(this.failed));
        return;
      }
      this.#requests.set(request, { resolve, reject });
      try {
        this.#worker.postMessage({ ...message, request }, transfer);
      } catch (e) {
        this.#requests.delete(request);
        reject(e);
      }
    });
  }

  /** Tells the worker something. */
  send(message, transfer = []) {
    if (this.failed === undefined) {
      this.#worker.postMessage(message, transfer);
    }
  }

  close() {
    this.#end("the worker was ended");
  }

  #receive({ request, value, error, failure }) {
    if (failure !== undefined) {
      this.#fail(failure);
      return;
    }
    const waiting = this.#requests.get(request);
    this.#requests.delete(request);
    if (error === undefined) {
      waiting?.resolve(value);
    } else {
      waiting?.reject(new Error(error));
    }
  }

  #fail(message) {
    if (this.#end(message)) {
      this.onfailure(message);
    }
  }

  #end(message) {
    if (this.failed !== undefined) {
      return false;
    }
    this.failed = message;
    this.#worker.terminate();
    const waiting = [...this.#requests.values()];
    this.#requests.clear();
    waiting.forEach(({ reject }) => reject(new Error(message)));
    return true;
  }
}
