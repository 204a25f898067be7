// Package reading compares tables that package parquet writes with what another program reads in them. It is a module of its own, as that reader brings
// forty packages.
package reading
