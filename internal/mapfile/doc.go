// Package mapfile puts the files of models into memory without reading them: pages come when they are touched. Where there is no mapping,
// files are read. The bytes must not be changed, nobody else may change the file, and none may be touched after it is closed.
package mapfile
