package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"time"
)

// bounded is a whole number with bounds as a flag; what is wrong with it is found as the command line is read.
type bounded struct {
	to          *int
	least, most int // most is 0 for none
}

// Set reads a number.
func (c bounded) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil {
		return err
	}
	if n < c.least || c.most > 0 && n > c.most {
		return errors.New(c.must())
	}
	*c.to = n
	return nil
}

// must says what the number must be.
func (c bounded) must() string {
	if c.most > 0 {
		return fmt.Sprintf("a whole number from %d to %d", c.least, c.most)
	}
	return fmt.Sprintf("a whole number of %d or more", c.least)
}

// String writes the number.
func (c bounded) String() string {
	if c.to == nil { // as package pflag asks
		return ""
	}
	return strconv.Itoa(*c.to)
}

// Type names the argument in the help.
func (c bounded) Type() string { return "int" }

// boundedTime is a time with bounds as a flag.
type boundedTime struct {
	to          *time.Duration
	least, most time.Duration
}

// Set reads a time.
func (b boundedTime) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil || d < b.least || d > b.most {
		return errors.New(b.must())
	}
	*b.to = d
	return nil
}

// must says what the time must be.
func (b boundedTime) must() string {
	from := "of 0 or more"
	if b.least > 0 {
		from = "above 0"
	}
	return fmt.Sprintf("a time %s and of at most %s, such as 500ms or 1m30s", from, strings.TrimSuffix(b.most.String(), "0m0s"))
}

// String writes the time.
func (b boundedTime) String() string {
	if b.to == nil || *b.to == 0 { // as package pflag asks
		return ""
	}
	return b.to.String()
}

// Type names the argument in the help.
func (b boundedTime) Type() string { return "duration" }

// address is where to listen as a flag; empty for nowhere.
type address struct{ to *string }

// Set reads an address.
func (a address) Set(text string) error {
	if text != "" {
		_, port, err := net.SplitHostPort(text)
		if err == nil {
			_, err = net.LookupPort("tcp", port)
		}
		if err != nil {
			return errors.New(a.must())
		}
	}
	*a.to = text
	return nil
}

func (address) must() string {
	return "HOST:PORT, or :PORT for all addresses of this machine, with a port from 0 to 65535, such as localhost:8080"
}

// String writes the address.
func (a address) String() string {
	if a.to == nil { // as package pflag asks
		return ""
	}
	return *a.to
}

// Type is that of a text, whose default the help writes in quotes.
func (address) Type() string { return "string" }

// level is how much is logged, as a flag.
type level struct{ to *slog.Level }

// Set reads a level.
func (l level) Set(text string) error { return l.to.UnmarshalText([]byte(text)) }

func (level) must() string { return "debug, info, warn or error" }

// String writes the level.
func (l level) String() string {
	if l.to == nil { // as package pflag asks
		return ""
	}
	return strings.ToLower(l.to.String())
}

// Type names the argument in the help.
func (level) Type() string { return "LEVEL" }
