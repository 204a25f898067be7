package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/concord-nn/concord/cvm"
	"github.com/concord-nn/concord/cvm/fault"
)

// admitFlags are the flags of the admit command.
type admitFlags struct {
	modelFlags
	asJSON  bool
	onlyGas bool
	most    uint64 // gas
	limited bool
}

func newAdmit() *cobra.Command {
	var f admitFlags
	c := &cobra.Command{
		Use:   "admit MODEL",
		Short: "Check a CVM model before it runs, and say what it costs",
		Long: `Check everything in the CVM model MODEL that can be checked before it runs, and print what is then
known: gas, storage and memory, the lengths of input and output, and for each node the inferred
shape and precision and its gas. MODEL is a folder, or a graph in a .json with its
parameters beside it. Without parameters the graph alone is admitted.

A model that is refused is printed with the reason: the class of the error, which is logic if
the model is at fault and runtime otherwise, the stage of admission, the place, and what would be
right. The exit code is then 1.

Storage plans that overwrite tensors which are still needed are refused, and the precision of
where is the larger of its two choices, unless --compat asks for the deployed rules.

--gas prints only the gas, counted from the text of the graph as the original does: parameters are
not read, and neither an input called data nor outputs are needed.`,
		Example: `  concord admit cvm/graph.json
  concord admit cvm --limit-gas 1000000000
  concord admit cvm --compat --json
  concord admit cvm/graph.json --gas`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if f, ok := modelFormats[formatOf(args[0])]; ok && !isCVM(args[0]) {
				return fmt.Errorf("%s: this is %s; admit is for CVM models", args[0], f.is)
			}
			f.limited = c.Flags().Changed("limit-gas")
			if f.onlyGas {
				return f.countGas(args[0], printed(c.OutOrStdout()))
			}
			return f.admit(args[0], printed(c.OutOrStdout()))
		},
	}
	fl := c.Flags()
	f.registerCompat(fl)
	fl.BoolVar(&f.asJSON, "json", false, "print JSON")
	fl.Uint64Var(&f.most, "limit-gas", 0, "refuse a model that takes more than this `gas`")
	fl.BoolVar(&f.onlyGas, "gas", false, "print only the gas, counted from the graph's text alone")
	return c
}

// admitReport is what admit prints. One of Admission and Refusal is there.
type admitReport struct {
	Model      string         `json:"model"`
	Graph      string         `json:"graph"`
	Parameters string         `json:"parameters,omitempty"` // absent if only the graph is known
	Admitted   bool           `json:"admitted"`
	Admission  *cvm.Admission `json:"admission,omitempty"`
	Refusal    *cvm.Error     `json:"refusal,omitempty"`
}

func (f *admitFlags) admit(path string, out io.Writer) error {
	r := &admitReport{Model: path}
	files, err := cvm.Read(path)
	if err != nil {
		return err
	}
	r.Graph, r.Parameters = files.SymbolPath, files.ParamsPath
	r.Admission, err = cvm.Admit(files, cvm.Options{Compat: f.compat})
	if err == nil {
		err = f.limit(r.Admission.Gas, r.Graph)
	}
	if why, ok := errors.AsType[*cvm.Error](err); ok {
		r.Admission, r.Refusal = nil, why
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

// limit refuses a model that takes more gas than --limit-gas allows.
func (f *admitFlags) limit(gas int64, file string) error {
	if !f.limited || uint64(gas) <= f.most {
		return nil
	}
	e := fault.Logicf(fault.Limits, "the model takes %d gas", gas)
	e.File, e.Want = file, fmt.Sprintf("at most %d", f.most)
	return e
}

// gasReport is what admit --gas prints. One of Gas and Refusal is there.
type gasReport struct {
	Model   string     `json:"model"`
	Graph   string     `json:"graph"`
	Gas     *int64     `json:"gas,omitempty"`
	Refusal *cvm.Error `json:"refusal,omitempty"`
}

func (f *admitFlags) countGas(path string, out io.Writer) error {
	files, err := cvm.ReadSymbol(path)
	if err != nil {
		return err
	}
	r := &gasReport{Model: path, Graph: files.SymbolPath}
	gas, err := cvm.Gas(files.Symbol)
	if err == nil {
		err = f.limit(gas, r.Graph)
	}
	if why, ok := errors.AsType[*cvm.Error](err); ok {
		why.File, r.Refusal = r.Graph, why
	} else if err != nil {
		return err
	} else {
		r.Gas = &gas
	}
	switch {
	case f.asJSON:
		err = writeJSON(out, r)
	case r.Refusal != nil:
		err = writeRefusal(out, r.Refusal)
	default:
		_, err = fmt.Fprintln(out, gas)
	}
	if err == nil && r.Refusal != nil {
		err = errNegative
	}
	return err
}

func writeRefusal(w io.Writer, why *cvm.Error) error {
	_, err := fmt.Fprintf(w, "refused: %s error in stage %s\n  %s\n", why.Class, why.Stage, why)
	return err
}

func (r *admitReport) write(w io.Writer) error {
	if r.Refusal != nil {
		return writeRefusal(w, r.Refusal)
	}
	if err := writeCVM(w, r.Graph, r.Parameters, r.Admission); err != nil {
		return err
	}
	return writeCVMNodes(w, r.Admission)
}
