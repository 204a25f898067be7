// Package mapfile puts the files of models into memory without reading them: pages come when they are touched. Where there is no mapping,
// files are read, and so are small ones. The bytes must not be changed, nor may anybody else change the file: whoever reads bytes of a file that
// has become shorter gets an error of the file if the goroutine has called [Watch], and else the process ends.
//
// Memory is never taken from somebody who reads it. Bytes are valid as long as their [File], [Folder] or [Space] or their [Mapping] can be reached,
// whether it was closed or not; closing says that the memory may go then.
package mapfile
