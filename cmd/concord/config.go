package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/internal/naming"
)

// configure sets the flags that a file names, a JSON object with a member for each, unless the command line has set them: a text, a number, true or
// false, or a list of these for a flag that may be repeated.
func configure(flags *pflag.FlagSet, name string) error {
	text, err := mapfile.ReadFile(name, maxTokens)
	if err != nil {
		return err
	}
	if err := readConfig(flags, text); err != nil {
		return refused("%s: %w", name, err)
	}
	return nil
}

func readConfig(flags *pflag.FlagSet, text []byte) error {
	dec := json.NewDecoder(bytes.NewReader(mapfile.Text(text)))
	dec.UseNumber()
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return errors.Join(errors.New("it must be a JSON object with flags and their values"), err)
	}
	seen := make(map[string]bool)
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return err
		}
		name := t.(string) // as members have names
		var value any
		if err := dec.Decode(&value); err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
		if seen[name] {
			return fmt.Errorf("%q stands there twice", name)
		}
		seen[name] = true
		if err := setFlag(flags, name, value); err != nil {
			return err
		}
	}
	if _, err := dec.Token(); err != nil { // the brace
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is something behind the object")
	}
	return nil
}

// setFlag gives a flag the value of a member, unless the command line has given it one.
func setFlag(flags *pflag.FlagSet, name string, value any) error {
	f := flags.Lookup(name)
	if f == nil || name == "config" || name == "help" {
		var known []string
		flags.VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		err := fmt.Errorf("%q is no flag that a file can set", name)
		if best := naming.Near(name, known); best != "" && f == nil {
			err = fmt.Errorf("%w; do you mean %q?", err, best)
		}
		return err
	}
	if f.Changed {
		return nil
	}
	values, several := value.([]any)
	if !several {
		values = []any{value}
	} else if _, ok := f.Value.(*texts); !ok {
		return fmt.Errorf("%q takes one value, not a list", name)
	}
	for _, v := range values {
		text := fmt.Sprint(v)
		switch v.(type) {
		case string, bool, json.Number:
		default:
			return fmt.Errorf("%q must be a text, a number, true or false", name)
		}
		if err := f.Value.Set(text); err != nil {
			return fmt.Errorf("%q, %s: %s", name, quoted(text), cannotBe(f, err))
		}
	}
	f.Changed = true // as on the command line
	return nil
}
