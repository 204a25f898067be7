package escape_test

import (
	"fmt"

	"github.com/concord-nn/concord/internal/escape"
)

func ExampleJSON() {
	fmt.Printf("%s\n", escape.JSON([]byte("{\n  \"é\": \"\u009b\u202e\x7f\U000e0001\"\n}")))
	// Output:
	// {
	//   "é": "\u009b\u202e\u007f\udb40\udc01"
	// }
}

func Example() {
	fmt.Println(escape.Text("é\x1b[2J\n\u202e\xff"))
	fmt.Println(escape.Lines("one\r\ntwo"))
	// Output:
	// é\x1b[2J\n\u202e\xff
	// one\r
	// two
}
