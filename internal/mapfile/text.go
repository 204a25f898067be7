package mapfile

import "bytes"

// ByteOrderMark is what some editors and tables begin a text with.
const ByteOrderMark = "\ufeff"

// Text returns what a text holds behind its [ByteOrderMark], if it has one.
func Text(data []byte) []byte { return bytes.TrimPrefix(data, []byte(ByteOrderMark)) }
