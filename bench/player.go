package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// A player is a process that holds one model and runs it when it is told to: both engines are players, so that they can take turns and what
// disturbs the machine disturbs both. It reads requests from standard input, a JSON object a line, and answers each with one.
type player struct {
	name    string
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	errors  strings.Builder
}

// request is what a player is asked for.
type request struct {
	Do string `json:"do"` // "load", "run" or "outputs"

	Model   string  `json:"model,omitempty"` // a file, to load
	Threads int     `json:"threads,omitempty"`
	Inputs  []array `json:"inputs,omitempty"`
	Count   bool    `json:"count,omitempty"` // run it once, and count the multiply-adds
	Exact   bool    `json:"exact,omitempty"` // ONNX Runtime's sums of integers must not saturate, which takes longer on some processors

	Least        int     `json:"least,omitempty"` // how many runs, behind one that does not count
	Milliseconds float64 `json:"ms,omitempty"`    // and for how long

	Folder string `json:"folder,omitempty"` // that outputs are written to
}

// array is a tensor in a file: elements row-major and little-endian.
type array struct {
	Name  string `json:"name"`
	DType string `json:"dtype"`
	Shape []int  `json:"shape"`
	File  string `json:"file"`
}

// answer is what a player says.
type answer struct {
	Error   string           `json:"error,omitempty"`
	Load    float64          `json:"load_ms,omitempty"`
	Version string           `json:"version,omitempty"`
	Tier    string           `json:"tier,omitempty"`
	MACs    map[string]int64 `json:"macs,omitempty"` // of a run, by the element type that they are made of
	Times   []float64        `json:"times_ms,omitempty"`
	CPU     float64          `json:"cpu_ms,omitempty"` // that processors gave to a run, the mean of those in times_ms; absent where it is not known
	RSS     float64          `json:"rss_mb,omitempty"`
	Outputs []array          `json:"outputs,omitempty"`
}

// startPlayer starts a process; env is added to this one's environment.
func startPlayer(name string, env []string, command ...string) (*player, error) {
	p := &player{name: name, command: exec.Command(command[0], command[1:]...)}
	p.command.Env = append(os.Environ(), env...)
	p.command.Stderr = &p.errors
	var err error
	if p.in, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReaderSize(out, 1<<20)
	return p, p.command.Start()
}

// ask sends a request and waits for the answer.
func (p *player) ask(r request) (*answer, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	var line []byte
	if _, err = p.in.Write(append(text, '\n')); err == nil {
		line, err = p.out.ReadBytes('\n')
	}
	a := new(answer)
	if err == nil {
		err = json.Unmarshal(line, a)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s, asked to %s: %w\n%s", p.name, r.Do, err, p.errors.String())
	case a.Error != "":
		return nil, fmt.Errorf("%s, asked to %s: %s", p.name, r.Do, a.Error)
	}
	return a, nil
}

// close ends the process.
func (p *player) close() {
	_ = p.in.Close() // which ends it
	patience := time.AfterFunc(10*time.Second, func() { _ = p.command.Process.Kill() })
	_ = p.command.Wait() // how it ends does not matter, as its last answer has come
	patience.Stop()
}

// serve answers requests until there are none.
func serve(in io.Reader, out io.Writer, perform func(*request) (*answer, error)) error {
	requests, answers := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var r request
		if err := requests.Decode(&r); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		a, err := perform(&r)
		if err != nil {
			a = &answer{Error: err.Error()}
		}
		if err := answers.Encode(a); err != nil {
			return err
		}
	}
}
