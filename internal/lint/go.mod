module github.com/concord-nn/concord/internal/lint

go 1.26.0

require (
	4d63.com/gocheckcompilerdirectives v1.4.0
	codeberg.org/polyfloyd/go-errorlint v1.9.0
	github.com/ashanbrown/makezero/v2 v2.2.1
	github.com/catenacyber/perfsprint v0.10.1
	github.com/charithe/durationcheck v0.0.11
	github.com/ckaznocha/intrange v0.3.1
	github.com/golangci/unconvert v0.0.0-20250410112200-a129a6e6413e
	github.com/gordonklaus/ineffassign v0.2.0
	github.com/gostaticanalysis/nilerr v0.1.2
	github.com/karamaru-alpha/copyloopvar v1.2.2
	github.com/kisielk/errcheck v1.30.0
	github.com/nishanths/predeclared v0.3.0
	github.com/sashamelentyev/usestdlibvars v1.29.0
	golang.org/x/tools v0.52.0
	honnef.co/go/tools v0.8.2
)

require (
	github.com/BurntSushi/toml v1.4.1-0.20240526193622-a339e1f7089c // indirect
	github.com/golangci/misspell v0.8.0 // indirect
	github.com/gostaticanalysis/comment v1.5.0 // indirect
	golang.org/x/exp/typeparams v0.0.0-20231108232855-2478ac86f678 // indirect
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/text v0.28.0 // indirect
)

tool github.com/golangci/misspell/cmd/misspell
