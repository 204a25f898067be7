//go:build !unix

package mapfile

// Written returns the error of writing bytes to a file. Where files are not mapped, it is as it is.
func Written(_ []byte, err error) error { return err }
