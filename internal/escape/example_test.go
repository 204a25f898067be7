package escape_test

import (
	"fmt"

	"github.com/concord-nn/concord/internal/escape"
)

func Example() {
	fmt.Println(escape.Text("é\x1b[2J\n\u202e\xff"))
	fmt.Println(escape.Lines("one\r\ntwo"))
	// Output:
	// é\x1b[2J\n\u202e\xff
	// one\r
	// two
}
