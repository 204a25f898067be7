package conform_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"regexp"

	"github.com/concord-nn/concord/internal/conform"
)

// Cases are found below a folder, run, and reported with the first difference of each that fails.
func Example() {
	cases, err := conform.Find("testdata/webnn")
	if err != nil {
		log.Fatal(err)
	}
	results := conform.Run(context.Background(), cases, conform.Options{Filter: regexp.MustCompile("holds|zeros")})
	if err := conform.Write(os.Stdout, results, conform.Report{}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(conform.Count(results).Failed > 0)
	// Output:
	// FAIL testdata/webnn: add: needs exact zeros
	//      output c: element 0 is 0; want -0 (ULP 2)
	// testdata/webnn: 1 passed, 1 failed, 0 skipped
	// 1 passed, 1 failed, 0 skipped
	// true
}
