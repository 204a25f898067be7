// Has the interface in a worker, whose library of types has other names.
/// <reference types="concord-webnn" />
const context: MLContext = await navigator.ml.createContext();
export { context };
