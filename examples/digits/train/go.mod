module github.com/concord-nn/concord/examples/digits/train

go 1.26.0

require (
	github.com/concord-nn/concord v0.0.0
	golang.org/x/image v0.47.0
)

require (
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

replace github.com/concord-nn/concord => ../../..
