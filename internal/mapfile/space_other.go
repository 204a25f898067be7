//go:build !unix

package mapfile

import "io"

// Space keeps bytes that stand in no file of the model, such as those of a packed archive. Where there is no mapping, it keeps them in memory.
type Space struct {
	InMemory int64 // bytes that stay in memory anyway
}

// Read returns the next size bytes of r. It takes no more memory than twice what is really there: the size may be a lie.
func (s *Space) Read(r io.Reader, size int64) ([]byte, error) { return readSized(r, size) }

// Close releases nothing.
func (s *Space) Close() error { return nil }
