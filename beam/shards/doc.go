// Package shards computes the shards of a bulk job in a pipeline of Apache Beam, on as many machines as its runner has.
package shards
