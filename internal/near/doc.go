// Package near finds the name that was meant by one that there is not, for hints of error messages.
package near
