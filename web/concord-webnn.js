// The entry of package concord-webnn: puts navigator.ml where there is none.

import { classes, levelOf, levels, makeEntry } from "./interface.js";
import { defineEntry, objectOf } from "./webidl.js";

export { levelOf };

let installed;

/**
 * Installs navigator.ml and the interface objects, and returns navigator.ml. Without options.always it leaves alone what a browser has itself, and
 * pages that are no secure contexts.
 */
export function install(options = {}) {
  const { always = false, base = new URL(".", import.meta.url), ...rest } = options;
  if (rest.level !== undefined && !levels.includes(rest.level)) {
    throw new TypeError(`the level is ${JSON.stringify(rest.level)}, which is none of ${levels.join(", ")}`);
  }
  const { navigator } = globalThis;
  if (installed === undefined && !always && (navigator?.ml !== undefined || globalThis.isSecureContext === false)) {
    return navigator?.ml;
  }
  installed ??= makeEntry({});
  Object.assign(installed.options, { base: new URL(base, globalThis.location?.href ?? import.meta.url), ...rest });
  if (navigator?.ml !== objectOf(installed)) {
    if (navigator !== undefined) {
      defineEntry(navigator, installed);
    }
    for (const [name, value] of Object.entries(classes)) {
      Object.defineProperty(globalThis, name, { value, writable: true, enumerable: false, configurable: true });
    }
  }
  return objectOf(installed);
}

install(globalThis.concordWebNN);
