package repository

import (
	"fmt"
	"io/fs"
	"syscall"
	"time"
)

// identity returns when a file was changed, in whatever way, and what tells it from another one in its place.
func identity(info fs.FileInfo) (changed time.Time, node string) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return info.ModTime(), ""
	}
	sec, nsec := s.Ctim.Unix()
	return time.Unix(sec, nsec), fmt.Sprint(s.Dev, s.Ino, sec, nsec)
}
