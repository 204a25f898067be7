// Package escape makes foreign text fit to be shown: names and labels of models may hold what a terminal would obey.
package escape
