package container

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
)

// ReadFiles returns files of the model in an archive, by their names in the model, as far as there are files of the given names. What
// else is in the archive is read past, within the limits, and takes no memory. A file that has more than most bytes is refused.
func ReadFiles(r io.Reader, limits Limits, most int64, names ...string) (map[string][]byte, error) {
	all, err := unpack(bufio.NewReader(r), limits, func(name string, r io.Reader, size int64) ([]byte, error) {
		_, inner, _ := strings.Cut(name, "/") // in the folder that holds the model, if the archive has one
		switch {
		case !slices.Contains(names, name) && !slices.Contains(names, inner):
			return nil, nil
		case size > most:
			return nil, fmt.Errorf("it is larger than %d bytes", most)
		}
		return io.ReadAll(io.LimitReader(r, size))
	})
	if err != nil {
		return nil, err
	}
	found := make(map[string][]byte)
	for _, name := range names {
		if data, ok := all[name]; ok {
			found[name] = data
		}
	}
	return found, nil
}
