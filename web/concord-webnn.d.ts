/// <reference path="./webnn.d.ts" />

/** How concord-webnn is installed. */
export interface InstallOptions {
  /** Installs also where the browser has WebNN itself, and in pages that are no secure contexts. */
  always?: boolean;
  /** The folder with worker.js, go.js and concord.wasm; that of the script if it is not given. */
  base?: string | URL;
  /** "loose" computes with two roundings in each multiply-add: other bits than everywhere else. Without it the bits are those of Concord. */
  level?: "fused" | "emulated" | "loose";
  /** How many threads compute, where the page is cross-origin isolated: at most 16; 4, or as many as there are cores, if it is not given. */
  threads?: number;
  /** false: compiled graphs are not kept in IndexedDB. */
  cache?: boolean;
}

/** Installs navigator.ml and returns it. Importing the module does so without options, or with those in the global concordWebNN. */
export function install(options?: InstallOptions): ML;

/** Returns how a context computes: "fused" and "emulated" have the same bits, "loose" has others. */
export function levelOf(context: MLContext): "fused" | "emulated" | "loose";
