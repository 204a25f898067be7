//go:build !unix

package mapfile

import "errors"

func mkfifo(string) error { return errors.ErrUnsupported }
