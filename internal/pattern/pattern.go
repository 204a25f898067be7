// Package pattern has regular expressions that are compiled when they are first used, so that a program does not begin with all those that it may need.
package pattern

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression.
type Pattern struct {
	text     string
	once     sync.Once
	compiled *regexp.Regexp
}

// Of returns the pattern of a text. One that is no regular expression panics when it is used.
func Of(text string) *Pattern { return &Pattern{text: text} }

// Get returns the compiled expression.
func (p *Pattern) Get() *regexp.Regexp {
	p.once.Do(func() { p.compiled = regexp.MustCompile(p.text) })
	return p.compiled
}
