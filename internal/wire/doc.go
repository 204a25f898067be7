// Package wire reads and writes messages in protobuf's format as structs declare them.
//
// A message is a struct, whose tags say which field of the format goes where, as [Of] reads them. Fields that it does not have are skipped. What is read shares
// the bytes where it can.
package wire
