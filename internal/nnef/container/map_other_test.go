//go:build !unix

package container

import "errors"

func mkfifo(string) error { return errors.ErrUnsupported }
