// Package parquet writes tables as Apache Parquet files: columns of values and of lists, uncompressed, with plain encodings. The same rows give the
// same bytes.
package parquet
