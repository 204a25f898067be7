//go:build !js && !wasip1

package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/concord-nn/concord/internal/measure"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testdata/golden"
	"github.com/concord-nn/concord/tensor"
)

// TestMain lets scripts run this binary under the name of concord.
func TestMain(m *testing.M) {
	measure.Patience = 0 // peaks are some numbers here
	testscript.Main(m, map[string]func(){"concord": main})
}

// TestScripts runs testdata/script/*.txtar, command lines as a person types them: the whole program with its exit code, signals and files. What testscript itself has
// is said at https://pkg.go.dev/github.com/rogpeppe/go-internal/testscript; $DIGITS is the folder of the example, $ROOT the repository.
func TestScripts(t *testing.T) {
	root := testdata.Root(t)
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join(root, "cmd", "concord", "testdata", "script"), // wherever answers is
		UpdateScripts:       golden.Updating(),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("ROOT", root)
			e.Setenv("DIGITS", filepath.Join(root, "examples", "digits"))
			e.Setenv("SHARED", filepath.Join(root, "..", "shared"))
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond != "shared" { // real models
				return false, fmt.Errorf("there is no condition %q", cond)
			}
			_, err := os.Stat(filepath.Join(root, "..", "shared", "models"))
			return err == nil, nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"answers":   answers,
			"dat":       makeDat,
			"exits":     exits,
			"hash":      hashFiles,
			"npy":       makeNPY,
			"only":      onlyFiles,
			"served":    served,
			"signalled": signalled,
		},
	})
}

// exits CODE PROGRAM ARG… runs a program as exec does; it must end with this code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG…")
	}
	code := 0
	var ended *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &ended) {
		code = ended.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("it ends with code %d", code)
	}
}

var here sync.Mutex // is held by the script whose folder the test is in

// answers CODE ARG… is exits CODE concord ARG… within the test, for what no process is needed for: starting one costs more than most lines do.
func answers(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: answers CODE ARG…")
	}
	here.Lock()
	defer here.Unlock()
	before, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	defer func() { ts.Check(os.Chdir(before)) }()
	root := newRoot()
	root.SetArgs(args[1:])
	root.SetIn(strings.NewReader(""))
	root.SetOut(ts.Stdout())
	root.SetErr(ts.Stderr())
	if code := conclude(ts.Stderr(), root.Execute(), args[1:]); strconv.Itoa(code) != args[0] {
		ts.Fatalf("it ends with code %d", code)
	}
}

// hash FILE… prints the SHA-256 of files, a line for each: HEX  FILE.
func hashFiles(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: hash FILE…")
	}
	for _, name := range args {
		fmt.Fprintf(ts.Stdout(), "%x  %s\n", sha256.Sum256([]byte(ts.ReadFile(name))), name)
	}
}

// npy FILE TYPE EXTENTS [VALUE…] makes an array, such as npy x.npy float32 1,3 0 0.5 1. The values are taken again and again; without any, all are 0.
func makeNPY(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: npy FILE TYPE EXTENTS [VALUE…]")
	}
	d, err := tensor.ParseDType(args[1])
	ts.Check(err)
	wide, err := tensor.New(tensor.Float64, parseShape(ts, args[2]))
	ts.Check(err)
	values := tensor.Data[float64](wide)
	for i := range values {
		if len(args) > 3 {
			values[i], err = strconv.ParseFloat(args[3+i%(len(args)-3)], 64)
			ts.Check(err)
		}
	}
	x, err := tensor.Cast(wide, d)
	ts.Check(err)
	var b bytes.Buffer
	ts.Check(tensor.WriteNPY(&b, x))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b.Bytes(), 0o600))
}

func parseShape(ts *testscript.TestScript, extents string) tensor.Shape {
	var shape tensor.Shape
	for _, extent := range strings.Split(extents, ",") {
		n, err := strconv.Atoi(extent)
		ts.Check(err)
		shape = append(shape, n)
	}
	return shape
}

// dat FILE EXTENTS makes a tensor file of NNEF, float32 and all 0. Its elements are a hole in the file, so that a large one is made at once.
func makeDat(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: dat FILE EXTENTS")
	}
	shape := parseShape(ts, args[1])
	name := ts.MkAbs(args[0])
	var header [128]byte
	copy(header[:], "N\xef\x01\x00")
	le := binary.LittleEndian
	le.PutUint32(header[4:], uint32(4*shape.Len()))
	le.PutUint32(header[8:], uint32(len(shape)))
	for i, n := range shape {
		le.PutUint32(header[12+4*i:], uint32(n))
	}
	le.PutUint32(header[44:], 32) // bits of an item, whose type is 0 for floats
	ts.Check(os.WriteFile(name, header[:], 0o600))
	ts.Check(os.Truncate(name, int64(len(header)+4*shape.Len())))
}

// only FOLDER [NAME…] holds the names of all that is in a folder, also what is hidden, against NAME….
func onlyFiles(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: only FOLDER [NAME…]")
	}
	entries, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	var names []string
	for _, e := range entries {
		if e.Name() != ".tmp" { // testscript's own
			names = append(names, e.Name())
		}
	}
	if want := slices.Sorted(slices.Values(args[1:])); !slices.Equal(names, want) {
		ts.Fatalf("%s holds %q; want %q", args[0], names, want)
	}
}

// signalled SIGNAL CODE PATTERN PROGRAM ARG… runs a program, whose standard input stays open, sends it INT, TERM, HUP or KILL once there is a file that matches the
// pattern, or, where that is -, once it reads its standard input, and looks whether it ends with this code: -1 if the signal ends it.
func signalled(ts *testscript.TestScript, neg bool, args []string) {
	signals := map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP, "KILL": os.Kill}
	if neg || len(args) < 4 || signals[args[0]] == nil {
		ts.Fatalf("usage: signalled SIGNAL CODE PATTERN PROGRAM ARG…")
	}
	if signal.Ignored(signals[args[0]]) {
		ts.Logf("%s is ignored here, as below nohup", args[0])
		return
	}
	c := exec.Command(args[3], args[4:]...) // which the script says
	c.Dir = ts.MkAbs(".")
	c.Stdout, c.Stderr = ts.Stdout(), ts.Stderr()
	in, err := c.StdinPipe()
	ts.Check(err)
	defer in.Close()
	ts.Check(c.Start())
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	if args[2] == "-" {
		_, err = in.Write(make([]byte, 1<<16+1)) // more than a pipe holds
		ts.Check(err)
	}
	for since := time.Now(); args[2] != "-"; time.Sleep(2 * time.Millisecond) {
		found, err := filepath.Glob(ts.MkAbs(args[2]))
		ts.Check(err)
		if len(found) > 0 {
			break
		}
		select {
		case err := <-ended:
			ts.Fatalf("it ended before there was %s: %v", args[2], err)
		default:
		}
		if time.Since(since) > time.Minute {
			_ = c.Process.Kill()
			ts.Fatalf("there is no %s", args[2])
		}
	}
	endsWith(ts, c, ended, signals[args[0]], args[1])
}

// endsWith sends a program a signal and looks whether it ends with a code.
func endsWith(ts *testscript.TestScript, c *exec.Cmd, ended <-chan error, by os.Signal, want string) {
	ts.Check(c.Process.Signal(by))
	var err error
	select {
	case err = <-ended:
	case <-time.After(time.Minute):
		_ = c.Process.Kill()
		ts.Fatalf("it goes on after the signal")
	}
	if errors.As(err, new(*exec.ExitError)) {
		err = nil
	}
	ts.Check(err)
	if got := c.ProcessState.ExitCode(); strconv.Itoa(got) != want {
		ts.Fatalf("it ends with code %d", got)
	}
}

// served SIGNAL CODE PATH PROGRAM ARG… runs a server, whose log says where it listens, asks it for a path until its models are there, prints what it
// answers, sends it INT or TERM, and looks whether it ends with this code.
func served(ts *testscript.TestScript, neg bool, args []string) {
	signals := map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM}
	if neg || len(args) < 4 || signals[args[0]] == nil {
		ts.Fatalf("usage: served SIGNAL CODE PATH PROGRAM ARG…")
	}
	c := exec.Command(args[3], args[4:]...) // which the script says
	c.Dir = ts.MkAbs(".")
	log, err := c.StderrPipe()
	ts.Check(err)
	ts.Check(c.Start())
	address := make(chan string, 1)
	ended := make(chan error, 1)
	go func() {
		for lines := bufio.NewScanner(log); lines.Scan(); {
			fmt.Fprintln(ts.Stderr(), lines.Text())
			var line struct{ Msg, Address string }
			if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "listening" {
				address <- line.Address
			}
		}
		close(address)
		ended <- c.Wait()
	}()
	at, ok := <-address
	if !ok {
		ts.Fatalf("it does not listen: %v", <-ended)
	}
	for since := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		answer, err := http.Get("http://" + at + args[2]) // which is of this machine
		ts.Check(err)
		text, err := io.ReadAll(answer.Body)
		ts.Check(errors.Join(err, answer.Body.Close()))
		if waits := answer.StatusCode == http.StatusNotFound || answer.StatusCode == http.StatusServiceUnavailable; !waits || time.Since(since) > time.Minute {
			fmt.Fprintln(ts.Stdout(), string(text))
			break
		}
	}
	http.DefaultClient.CloseIdleConnections()
	endsWith(ts, c, ended, signals[args[0]], args[1])
}
