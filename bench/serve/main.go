// Command serve measures what it costs to ask a model over the loopback interface instead of calling it: a model of 1 KB, relu of 256 numbers, by REST
// with numbers and in binary, and by gRPC, in turns with the bare call of the program, and with a handler of net/http that gives the body back.
//
//	go run ./bench/serve                    # medians and 99th percentiles, one request after the other
//	go run ./bench/serve -clients 1,8,64    # and requests a second of so many connections
//	go run ./bench/serve -soak 1000000      # so many requests of each kind, and what memory the server takes meanwhile
//
// The server is another process. The clients write requests that were made before and look at answers only as far as comparing needs it, so that what
// is measured is the server, and the system's sockets.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/internal/measure"
	"github.com/concord-nn/concord/serve"
	"github.com/concord-nn/concord/tensor"
)

func main() {
	if dir := os.Getenv(serverOf); dir != "" {
		if err := server(dir); err != nil {
			fmt.Fprintln(os.Stderr, "bench/serve:", err)
			os.Exit(1)
		}
		return
	}
	turns := flag.Int("turns", 20, "how many turns each way of asking takes")
	calls := flag.Int("calls", 500, "how many calls a turn has")
	clients := flag.String("clients", "", "how many connections ask at the same time, such as 1,8,64")
	seconds := flag.Float64("seconds", 3, "how long they ask")
	soak := flag.Int("soak", 0, "how many requests of each kind to send while looking at the server's memory")
	flag.Parse()
	if err := run(os.Stdout, *turns, *calls, *clients, *seconds, *soak); err != nil {
		fmt.Fprintln(os.Stderr, "bench/serve:", err)
		os.Exit(1)
	}
}

// serverOf is the environment variable with the folder of models that the process serves, if it is the server.
const serverOf = "CONCORD_BENCH_SERVE"

// server serves a folder until its standard input ends. It says its address first, and that of the handler that gives bodies back.
func server(dir string) error {
	s, err := serve.New(serve.Options{Dir: dir, Control: "none"})
	if err != nil {
		return err
	}
	if err := s.Start(context.Background()); err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	echo, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	plain := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = w.Write(body)
	})}
	go func() { _ = plain.Serve(echo) }()
	defer func() { _ = plain.Close() }()
	fmt.Println(l.Addr(), echo.Addr())
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	return s.Serve(ctx, l)
}

// elements is how many numbers the model takes.
const elements = 256

// asker asks once.
type asker interface{ ask() error }

// way is a way to ask.
type way struct {
	name string
	dial func(c *child, x, y []byte) (asker, error) // x and y are elements, as the model takes and yields them
}

var ways = []way{{"net/http alone", dialBack}, {"REST, numbers", dialNumbers}, {"REST, binary", dialBinary}, {"gRPC", dialGRPC}}

func run(out io.Writer, turns, calls int, clients string, seconds float64, soak int) (err error) {
	dir, err := os.MkdirTemp("", "concord-bench")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	model := filepath.Join(dir, "small.nnef")
	text := fmt.Sprintf("version 1.0;\ngraph small(x) -> (y)\n{\n    x = external(shape = [1, %d]);\n    y = relu(x);\n}\n", elements)
	if err := os.Mkdir(model, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(model, "graph.nnef"), []byte(text), 0o644); err != nil {
		return err
	}

	numbers := make([]float32, elements)
	for i := range numbers {
		numbers[i] = float32(i)/7 - 16
	}
	x, err := tensor.FromSlice(numbers, 1, elements)
	if err != nil {
		return err
	}
	bare, err := openBare(model, x)
	if err != nil {
		return err
	}
	defer bare.close()
	y, err := bare.run()
	if err != nil {
		return err
	}
	child, err := start(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, child.stop()) }()

	askers := []asker{bare}
	names := []string{"the program, called"}
	for _, w := range ways {
		a, err := w.dial(child, tensor.Raw(x), tensor.Raw(y))
		if err != nil {
			return err
		}
		askers, names = append(askers, a), append(names, w.name)
	}
	m := measure.ThisMachine()
	fmt.Fprintf(out, "%s, %d processors, %s, %s; %.1f programs wanted a processor in the last minute\n\n", m.Processor, m.Processors, m.Platform, runtime.Version(), measure.SystemLoad())
	times := make([]measure.Times, len(askers))
	for turn := range turns + 1 {
		for i, a := range askers {
			for range calls {
				begin := time.Now()
				if err := a.ask(); err != nil {
					return fmt.Errorf("%s: %w", names[i], err)
				}
				if took := time.Since(begin); turn > 0 {
					times[i] = append(times[i], took)
				}
			}
		}
	}
	fmt.Fprintf(out, "| one after the other | median | 99 %% | median beyond the call |\n| --- | --: | --: | --: |\n")
	micro := func(d time.Duration) string { return fmt.Sprintf("%.1f µs", float64(d)/1e3) }
	for i, name := range names {
		beyond := ""
		if i > 0 {
			beyond = micro(times[i].Quantile(0.5) - times[0].Quantile(0.5))
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s |\n", name, micro(times[i].Quantile(0.5)), micro(times[i].Quantile(0.99)), beyond)
	}
	if clients != "" {
		if err := throughput(out, child, clients, time.Duration(seconds*float64(time.Second)), tensor.Raw(x), tensor.Raw(y)); err != nil {
			return err
		}
	}
	if soak > 0 {
		return memory(out, child, soak, tensor.Raw(x), tensor.Raw(y))
	}
	return nil
}

// throughput measures how many requests are answered in a second.
func throughput(out io.Writer, c *child, clients string, long time.Duration, x, y []byte) error {
	fmt.Fprintf(out, "\n| requests a second")
	var counts []int
	for text := range strings.SplitSeq(clients, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return fmt.Errorf("-clients: %q is no number of connections", text)
		}
		counts = append(counts, n)
		fmt.Fprintf(out, " | %d connections", n)
	}
	fmt.Fprintf(out, " |\n| ---%s |\n", strings.Repeat(" | --:", len(counts)))
	for _, w := range ways {
		fmt.Fprintf(out, "| %s", w.name)
		for _, n := range counts {
			done, took, err := many(w, c, n, x, y, func(begin time.Time, _ int64) bool { return time.Since(begin) < long })
			if err != nil {
				return err
			}
			fmt.Fprintf(out, " | %.0f", float64(done)/took.Seconds())
		}
		fmt.Fprintln(out, " |")
	}
	return nil
}

// many asks by n connections at the same time while more says so, of the time when they began and the number of calls that were begun.
func many(w way, c *child, n int, x, y []byte, more func(time.Time, int64) bool) (done int64, took time.Duration, err error) {
	askers := make([]asker, n)
	for i := range askers {
		if askers[i], err = w.dial(c, x, y); err != nil {
			return 0, 0, err
		}
	}
	var begun, answered atomic.Int64
	var wait sync.WaitGroup
	failures := make([]error, n)
	begin := time.Now()
	for i, a := range askers {
		wait.Go(func() {
			for more(begin, begun.Add(1)) {
				if failures[i] = a.ask(); failures[i] != nil {
					return
				}
				answered.Add(1)
			}
			if c, ok := a.(io.Closer); ok {
				failures[i] = c.Close()
			}
		})
	}
	wait.Wait()
	return answered.Load(), time.Since(begin), errors.Join(failures...)
}

// memory sends requests and says what the server takes after each tenth of them.
func memory(out io.Writer, c *child, soak int, x, y []byte) error {
	fmt.Fprintf(out, "\n| requests | %s", "MiB of the server after each tenth |\n| --- | --- |\n")
	for _, w := range ways {
		fmt.Fprintf(out, "| %d of %s |", soak, w.name)
		for range 10 {
			if _, _, err := many(w, c, 8, x, y, func(_ time.Time, begun int64) bool { return begun <= int64(soak/10) }); err != nil {
				return err
			}
			fmt.Fprintf(out, " %.1f", float64(c.resident())/(1<<20))
		}
		fmt.Fprintln(out, " |")
	}
	return nil
}

// child is the server.
type child struct {
	cmd     *exec.Cmd
	in      io.Closer
	address string
	echo    string // of the handler that gives bodies back
}

func start(dir string) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &child{cmd: exec.Command(self)}
	c.cmd.Env = append(os.Environ(), serverOf+"="+dir)
	c.cmd.Stderr = os.Stderr
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	said, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	if _, err := fmt.Fscan(said, &c.address, &c.echo); err != nil {
		return nil, errors.Join(errors.New("the server has said no address"), c.stop())
	}
	return c, nil
}

func (c *child) stop() error { return errors.Join(c.in.Close(), c.cmd.Wait()) }

// resident returns how many bytes of memory the server has, 0 where the system does not say.
func (c *child) resident() int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kilobytes, _ := strconv.ParseInt(fields[0], 10, 64)
	return kilobytes << 10
}

// bare is the program in this process.
type bare struct {
	model   *concord.Model
	program *concord.Program
	in      map[string]*tensor.Tensor
	want    []byte
}

func openBare(path string, x *tensor.Tensor) (*bare, error) {
	m, err := concord.Open(path)
	if err != nil {
		return nil, err
	}
	p, err := m.Compile(concord.Options{})
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return &bare{model: m, program: p, in: map[string]*tensor.Tensor{"x": x}}, nil
}

func (b *bare) run() (*tensor.Tensor, error) {
	out, err := b.program.Run(context.Background(), b.in)
	if err != nil {
		return nil, err
	}
	return out["y"], nil
}

func (b *bare) ask() error {
	y, err := b.run()
	if err != nil {
		return err
	}
	raw := tensor.Raw(y)
	if b.want == nil {
		b.want = bytes.Clone(raw)
	}
	if !bytes.Equal(raw, b.want) {
		return errOther
	}
	return nil
}

func (b *bare) close() {
	b.program.Close()
	_ = b.model.Close()
}

var errOther = errors.New("the answer is another one")
