package bulk

import (
	"errors"
	"fmt"

	"github.com/concord-nn/concord/internal/feed"
)

// usage is an error in what a job is asked for.
func usage(format string, args ...any) error {
	return &feed.UsageError{Err: fmt.Errorf(format, args...)}
}

// errRagged is the error of an array whose rows differ in length or depth.
var errRagged = errors.New("the array has rows of different lengths")
