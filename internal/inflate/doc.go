// Package inflate reads gzip (RFC 1952, RFC 1951) about twice as fast as compress/gzip: weights hardly compress, so that an archive of them is one
// literal after another, and it decodes those from a table, several for each look at the input.
package inflate
