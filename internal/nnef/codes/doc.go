// Package codes documents the diagnostics of NNEF: what each code means, which rule stands behind it, and an example that
// breaks the rule with one that keeps it.
//
// The same table gives the answers of "concord check --explain" and the page docs/diagnostics.md. A test runs every
// example: the wrong one yields its code, the right one yields none.
package codes

//go:generate go run ../../../cmd/concord check --markdown ../../../docs/diagnostics.md
