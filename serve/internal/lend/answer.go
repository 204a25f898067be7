package lend

import (
	"log"
	"net/http"
	"runtime/debug"
)

// Answer lets a handler answer, and reports whether it has done so without a panic. What it panics with, unless that is [http.ErrAbortHandler], goes to
// the ErrorLog of the server.
func Answer(s *http.Server, h http.Handler, w http.ResponseWriter, r *http.Request) (whole bool) {
	defer func() {
		p := recover()
		if p == nil || p == http.ErrAbortHandler { //nolint:errorlint // it is compared as package http does
			return
		}
		printf := log.Printf
		if s.ErrorLog != nil {
			printf = s.ErrorLog.Printf
		}
		printf("http: panic serving %s: %v\n%s", r.RemoteAddr, p, debug.Stack())
	}()
	h.ServeHTTP(w, r)
	return true
}
