package main

import (
	"errors"
	"fmt"
	"strconv"
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
