// Package bulk runs a model over many inputs: files, folders, archives and lists, in their order, on all processors, in parts that several machines
// share.
//
// [Open] makes a [Job] of a model and its inputs. [Job.Run] writes a part as a file and goes on where a process was killed, [Job.Write] writes one into
// any writer, [Job.Items] and [Job.Record] compute the records one by one. However it is divided, the result has the same bytes. The command concord
// bulk is this package with flags.
package bulk
