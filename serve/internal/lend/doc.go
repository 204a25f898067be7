// Package lend lets the goroutine that reads a connection answer what it has read. To wake another one takes longer than a small call; but what the
// client sends meanwhile is late, so that goroutine must not be away for long. A [Clock] looks after it, and lets another one read when it does not come
// back. [Answer] runs the handler.
package lend
