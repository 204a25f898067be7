// Package page is the page of a server: what models there are, a form that asks one, and how it is doing. It is HTML, styles and a script in the
// program, which ask the server like any other client: by paths below /v2/, and by POST models/NAME/answer with a file as the body, for what
// `concord run --json` says of it. It holds no secrets, so that it can be had without a token; what it asks for cannot.
package page
