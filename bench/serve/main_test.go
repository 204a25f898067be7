package main

import (
	"os"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	if os.Getenv(serverOf) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestRun measures a little of everything, and holds every answer to being that of the program.
func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run(&out, 1, 5, "1,3", 0.005, 100); err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{"| the program, called |", "| gRPC |", "| requests a second | 1 connections | 3 connections |", "| 100 of REST, binary |"} {
		if !strings.Contains(out.String(), row) {
			t.Errorf("there is no %s in\n%s", row, &out)
		}
	}
}
