// Package arrows holds the test that keeps dependencies pointing one way: each package may import packages of lower
// layers only, and the core nothing but the standard library and golang.org/x/sys.
package arrows
