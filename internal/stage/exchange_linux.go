package stage

import "golang.org/x/sys/unix"

// Exchange makes two files or folders change places, in one step. It fails where one of them, or the means, is not there.
func Exchange(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}
