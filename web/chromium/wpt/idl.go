package wpt

import (
	"fmt"
	"html"
	"os"
	"regexp"
	"strings"
)

// declarations are the elements of a standard's source that hold IDL.
var declarations = regexp.MustCompile(`(?s)<(script|pre|xmp)\s[^>]*?(?:class|type)="?idl"?[^>]*>(.*?)</(?:script|pre|xmp)>`)

// ReadIDL reads the declarations in the source of a standard, an index.bs.
func ReadIDL(file string) ([]byte, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	for _, m := range declarations.FindAllSubmatch(text, -1) {
		idl := string(m[2])
		if string(m[1]) == "pre" {
			idl = html.UnescapeString(idl)
		}
		b.WriteString(strings.TrimSpace(idl) + "\n\n")
	}
	if b.Len() == 0 {
		return nil, fmt.Errorf("%s: it holds no IDL", file)
	}
	return []byte(b.String()), nil
}
