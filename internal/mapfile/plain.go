package mapfile

import (
	"errors"
	"io/fs"
	"syscall"
)

// plainError is an error in words that name no function of the system.
type plainError struct {
	msg   string
	cause error
}

func (e *plainError) Error() string { return e.msg }
func (e *plainError) Unwrap() error { return e.cause }

// Closed is fs.ErrClosed in plain words: the error of whoever asks something, such as "the model", that was closed for new work.
func Closed(what string) error { return &plainError{what + " is closed", fs.ErrClosed} }

// ErrClosed is that of a model.
var ErrClosed = Closed("the model")

// Plain returns the error of the system, if it is one, in plain words without the name of the file. That of a missing file is
// fs.ErrNotExist.
func Plain(err error) error {
	var path *fs.PathError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR): // there is nothing below a file
		return &plainError{"there is no such file", fs.ErrNotExist}
	case errors.Is(err, fs.ErrPermission):
		return &plainError{"it may not be read: permission denied", fs.ErrPermission}
	case errors.Is(err, fs.ErrInvalid): // as of package fs, which takes neither / nor ..
		return &plainError{"it is no name of a file", err}
	case errors.As(err, &path) && path.Err.Error() == "path escapes from parent": // of os.Root, which has no name for it
		return &plainError{"it leads out of the folder that it is looked for in", err}
	case errors.As(err, &path):
		return &plainError{"it cannot be read: " + path.Err.Error(), err}
	}
	return err
}
