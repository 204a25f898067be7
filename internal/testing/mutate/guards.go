package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
)

// guard is a condition that is tried.
type guard struct {
	place    string // file:line
	text     string
	reasoned bool
	missed   string // what misses it: a test, or the time; "" if nothing does
	held     int    // in how many tests
}

// setup is what instrumented packages have in addition to their files, without a package clause.
//
//go:embed guard.txt
var setup string

// instrumented is a set of packages whose guards are numbered.
type instrumented struct {
	guards  []*guard
	only    *regexp.Regexp // those to number, by their places
	folder  string         // for what is written
	replace map[string]string
}

// listed is a package, as go list has it.
type listed struct {
	Dir, Name string
	GoFiles   []string
}

// add numbers the guards of the packages that match patterns.
func (in *instrumented) add(patterns []string) error {
	list := exec.Command("go", append([]string{"list", "-json=Dir,Name,GoFiles"}, patterns...)...)
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", strings.Join(list.Args, " "), err)
	}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		for _, name := range p.GoFiles {
			path := filepath.Join(p.Dir, name)
			source, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text, err := in.number(path, string(source))
			if err != nil {
				return err
			}
			if err := in.write(path, text); err != nil {
				return err
			}
		}
		if err := in.write(filepath.Join(p.Dir, "mutate_guard.go"), "package "+p.Name+"\n"+setup); err != nil {
			return err
		}
	}
}

// write has go build read a text in the place of a file.
func (in *instrumented) write(path, text string) error {
	name := filepath.Join(in.folder, fmt.Sprintf("%d.go", len(in.replace)))
	in.replace[path] = name
	return os.WriteFile(name, []byte(text), 0o666)
}

// number returns a file's text with its guards numbered, behind those that there are.
func (in *instrumented) number(path, source string) (string, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || ast.IsGenerated(file) {
		return source, err
	}
	if here, err := os.Getwd(); err == nil {
		path = relative(here, path)
	}
	lines := strings.Split(source, "\n")
	inserted := map[int]string{} // by offset
	add := func(begin token.Pos, condition ast.Expr, body []ast.Stmt) {
		first, last := set.Position(begin), set.Position(condition.End())
		g := &guard{place: fmt.Sprintf("%s:%d", path, set.Position(condition.Pos()).Line)}
		if handsOn(condition, body) || in.only != nil && !in.only.MatchString(g.place) {
			return
		}
		from, to := set.Position(condition.Pos()).Offset, last.Offset
		g.text, g.reasoned = source[from:to], reasoned(lines, first.Line-1, last.Line-1)
		inserted[from] = "("
		inserted[to] = fmt.Sprintf(") && mutateGuard(%d)", len(in.guards))
		in.guards = append(in.guards, g)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			return !draws(n.Recv, n.Type.Params)
		case *ast.FuncLit:
			return !draws(n.Type.Params)
		case *ast.IfStmt:
			add(n.If, n.Cond, n.Body.List)
		case *ast.SwitchStmt:
			if n.Tag != nil {
				break
			}
			for _, clause := range n.Body.List {
				for _, condition := range clause.(*ast.CaseClause).List {
					add(clause.Pos(), condition, clause.(*ast.CaseClause).Body)
				}
			}
		}
		return true
	})
	var b strings.Builder
	done := 0
	for _, at := range sorted(inserted) {
		b.WriteString(source[done:at] + inserted[at])
		done = at
	}
	return b.String() + source[done:], nil
}

func sorted(inserted map[int]string) []int {
	var places []int
	for at := range inserted {
		places = append(places, at)
	}
	sort.Ints(places)
	return places
}

func relative(here, path string) string {
	if name, err := filepath.Rel(here, path); err == nil {
		return filepath.ToSlash(name)
	}
	return path
}

// draws reports whether a function with these parameters makes random cases: its conditions are dice.
func draws(lists ...*ast.FieldList) bool {
	for _, list := range lists {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			if pointer, ok := field.Type.(*ast.StarExpr); ok && isName(pointer.X, "Rand") {
				return true
			}
		}
	}
	return false
}

// handsOn reports whether a guard only hands on an error.
func handsOn(condition ast.Expr, body []ast.Stmt) bool {
	unequal, ok := condition.(*ast.BinaryExpr)
	if !ok || unequal.Op != token.NEQ || !isName(unequal.X, "err") || !isName(unequal.Y, "nil") || len(body) != 1 {
		return false
	}
	back, ok := body[0].(*ast.ReturnStmt)
	if !ok {
		return false
	}
	named := false
	ast.Inspect(back, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		named = named || ok && isName(e, "err")
		return true
	})
	return named
}

func isName(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// reasoned reports whether the lines of a guard, or the comment above them, say why no test misses it.
func reasoned(lines []string, first, last int) bool {
	for first > 0 && strings.HasPrefix(strings.TrimSpace(lines[first-1]), "//") {
		first--
	}
	return strings.Contains(strings.Join(lines[first:last+1], "\n"), "Without this")
}
