// Modules that would be imported when they are needed, where that is not allowed: go and serve, of go.js and serve.js.

export const provided = {};
