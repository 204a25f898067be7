package syntax

import (
	"fmt"
	"sort"
	"strings"
	"sync"
)

// Pos is a place in a source: the byte offset from its start, beginning with 0.
type Pos uint32

// Span is the part of a source from the first byte of a construct to the byte after its last one. Nodes embed it.
type Span struct{ From, To Pos }

// Pos returns where the span starts.
func (s Span) Pos() Pos { return s.From }

// End returns the place after the last byte of the span.
func (s Span) End() Pos { return s.To }

// Position is a place for people.
type Position struct {
	File   string `json:"file,omitempty"` // name of the source, may be empty
	Line   int    `json:"line"`           // from 1
	Column int    `json:"column"`         // from 1, counted in bytes
	Offset int    `json:"offset"`         // from 0, counted in bytes
}

// String returns file:line:column, without the file if it has no name.
func (p Position) String() string {
	if p.File == "" {
		return fmt.Sprintf("%d:%d", p.Line, p.Column)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Source is a named text. It turns offsets into lines and columns; lines end with LF and are numbered from 1. A Source
// may be used by several goroutines.
type Source struct {
	Name string
	Text string

	once  sync.Once
	lines []Pos // offsets of the first byte of every line
}

// NewSource returns a source of the given name, usually that of a file, and text.
func NewSource(name, text string) *Source { return &Source{Name: name, Text: text} }

func (s *Source) index() []Pos {
	s.once.Do(func() {
		s.lines = make([]Pos, 1, 1+strings.Count(s.Text, "\n"))
		for i := range len(s.Text) {
			if s.Text[i] == '\n' {
				s.lines = append(s.lines, Pos(i+1))
			}
		}
	})
	return s.lines
}

// Position returns the line and column of an offset. Offsets past the end count as the end; a nil source gives the
// zero Position.
func (s *Source) Position(pos Pos) Position {
	if s == nil {
		return Position{}
	}
	pos = min(pos, Pos(len(s.Text)))
	lines := s.index()
	n := sort.Search(len(lines), func(i int) bool { return lines[i] > pos })
	return Position{File: s.Name, Line: n, Column: int(pos-lines[n-1]) + 1, Offset: int(pos)}
}

// Line returns the text of a line, numbered from 1, without its end; it is empty if there is no such line.
func (s *Source) Line(n int) string {
	if s == nil || n < 1 || n > len(s.index()) {
		return ""
	}
	line, _, _ := strings.Cut(s.Text[s.lines[n-1]:], "\n")
	return strings.TrimSuffix(line, "\r")
}
