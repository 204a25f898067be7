package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/concord-nn/concord/cvm"
	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/internal/escape"
)

// admitFlags are the flags of the admit command.
type admitFlags struct {
	modelFlags
	asJSON bool
	gas    int64
}

func newAdmit() *cobra.Command {
	var f admitFlags
	c := &cobra.Command{
		Use:   "admit MODEL",
		Short: "Check a CVM model before it runs, and say what it costs",
		Long: `Check everything in the CVM model MODEL that can be checked before it runs, and print what is then
known: gas, storage and memory, the lengths of input and output, and for each node the inferred
shape and precision, its gas and its cost. MODEL is a folder, or a graph in a .json with its
parameters beside it. Without parameters the graph alone is admitted.

A model that is refused is printed with the reason: the class of the error, which is logic if
the model is at fault and runtime otherwise, the stage of admission, the place, and what would be
right. The exit code is then 1.

Storage plans that overwrite tensors which are still needed are refused, and the precision of
where is the larger of its two choices, unless --compat asks for the deployed rules.`,
		Example: `  concord admit cvm/graph.json
  concord admit cvm --limit-gas 1000000000
  concord admit cvm --compat --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if f.gas < 0 {
				return &codedError{exitUsage, errors.New("--limit-gas: it must be 0 or more")}
			}
			return f.admit(args[0], c.Flags().Changed("limit-gas"), c.OutOrStdout())
		},
	}
	fl := c.Flags()
	f.registerCompat(fl)
	fl.BoolVar(&f.asJSON, "json", false, "print JSON")
	fl.Int64Var(&f.gas, "limit-gas", 0, "refuse a model that takes more than this `gas`")
	return c
}

// admitReport is what admit prints. One of Admission and Refusal is there.
type admitReport struct {
	Model      string         `json:"model"`
	Graph      string         `json:"graph"`
	Parameters string         `json:"parameters,omitempty"` // absent if only the graph is known
	Admitted   bool           `json:"admitted"`
	Admission  *cvm.Admission `json:"admission,omitempty"`
	Refusal    *refusal       `json:"refusal,omitempty"`
}

// refusal is why a model is not admitted.
type refusal struct {
	Class    string `json:"class"`
	Stage    string `json:"stage"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Offset   *int64 `json:"offset,omitempty"` // in the parameter file
	Node     *int   `json:"node,omitempty"`
	Name     string `json:"name,omitempty"`
	Operator string `json:"operator,omitempty"`
	Part     string `json:"part,omitempty"`
	Message  string `json:"message"`
	Want     string `json:"want,omitempty"`

	text string // all of it in a line
}

func newRefusal(e *cvm.Error) *refusal {
	r := &refusal{Class: e.Class.String(), Stage: string(e.Stage), File: e.File, Line: e.Line, Column: e.Column,
		Name: e.Name, Operator: e.Operator, Part: e.Part, Message: e.Msg, Want: e.Want, text: e.Error()}
	if e.Node >= 0 {
		r.Node = &e.Node
	}
	if e.Stage == fault.Params && e.Line == 0 {
		r.Offset = &e.Offset
	}
	return r
}

func (f *admitFlags) admit(path string, limited bool, out io.Writer) error {
	r := &admitReport{Model: path}
	var err error
	if r.Graph, r.Parameters, err = cvm.Find(path); err != nil {
		return err
	}
	var files cvm.Files
	if files.Symbol, err = os.ReadFile(r.Graph); err != nil {
		return err
	}
	if r.Parameters != "" {
		if files.Params, err = os.ReadFile(r.Parameters); err != nil {
			return err
		}
	}
	r.Admission, err = cvm.Admit(files, cvm.Options{Compat: f.compat})
	if err == nil && limited && r.Admission.Gas > f.gas {
		err = fault.Logicf(fault.Limits, "it takes %d gas; at most %d are allowed", r.Admission.Gas, f.gas)
	}
	if why, ok := errors.AsType[*cvm.Error](err); ok {
		if why.File = r.Graph; why.Stage == fault.Params {
			why.File = r.Parameters
		}
		r.Admission, r.Refusal = nil, newRefusal(why)
	} else if err != nil {
		return err
	}
	r.Admitted = r.Refusal == nil
	if f.asJSON {
		err = writeJSON(out, r)
	} else {
		err = r.write(out)
	}
	if err == nil && !r.Admitted {
		err = errNegative
	}
	return err
}

func (r *admitReport) write(w io.Writer) error {
	if why := r.Refusal; why != nil {
		_, err := fmt.Fprintf(w, "refused: %s error in stage %s\n  %s\n", why.Class, why.Stage, escape.Text(why.text))
		return err
	}
	if err := writeCVM(w, r.Graph, r.Parameters, r.Admission); err != nil {
		return err
	}
	return writeCVMNodes(w, r.Admission)
}
