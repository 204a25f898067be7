package main

import "testing"

func TestPage(t *testing.T) {
	s, err := page()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"index.html", "page.js", "digits.js", "digits.wasm", "digits.exact.wasm", "digits.bin", "digits.media.js", "style.css", "pixels.js", "seven.png"} {
		if len(s[name]) == 0 {
			t.Errorf("the page has no %s", name)
		}
	}
	if n := len(s["digits.wasm"]) + len(s["digits.bin"]) + len(s["digits.js"]); n > 150<<10 {
		t.Errorf("the network takes %d bytes of a page", n)
	}
}
