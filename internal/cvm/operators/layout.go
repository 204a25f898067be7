package operators

import (
	"regexp"
	"strings"

	"github.com/concord-nn/concord/cvm/fault"
)

// undefined is the layout that stands for that of the data.
const undefined = "__undef__"

// A layout lists dimensions by letters. Small ones with a factor split that of the capital one, as in NCHW16c. The original parses
// out_layout, and a text that is no layout is another error than a layout that is not supported.
var (
	layoutText = regexp.MustCompile(`^(0*[A-Z]|0*[1-9][0-9]*[a-z])+[0-9]*$`)
	factors    = strings.NewReplacer("0", "", "1", "", "2", "", "3", "", "4", "", "5", "", "6", "", "7", "", "8", "", "9", "")
)

// outLayout checks the attribute out_layout.
func (c *Call) outLayout() error {
	text := c.Attrs["out_layout"]
	if text == undefined {
		return nil
	}
	if !isLayout(text.(string)) {
		e := fault.Runtimef(fault.Shape, "%q is no layout", text)
		e.Part, e.Want = "out_layout", "NCHW"
		return e
	}
	return c.must("out_layout", "NCHW")
}

func isLayout(text string) bool {
	if !layoutText.MatchString(text) {
		return false
	}
	letters := factors.Replace(text)
	for i, r := range letters {
		if strings.ContainsRune(letters[:i], r) || !strings.Contains(letters, strings.ToUpper(string(r))) {
			return false
		}
	}
	return true
}
