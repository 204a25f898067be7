// Package wire reads and writes messages in protobuf's format by tables of their fields.
//
// A message is a struct, its [Table] says which field of the format goes where. Fields that a table does not have are skipped. What is read shares
// the bytes where it can.
package wire
