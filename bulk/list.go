package bulk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/concord-nn/concord/internal/feed"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/tensor"
)

// Item is one set of inputs of a job: a place in its list.
type Item struct {
	Index  int64  // among all of the job, from 0
	Source string // what the record calls it, such as the path of a file

	mark func() string           // what tells, without reading it, whether it is as it was
	open func() (*opened, error) // may be called by another goroutine, once
}

// opened is what an item is made of.
type opened struct {
	*feed.Job
	contents map[string][]byte // of files that are no files of the machine
}

// list is what the arguments of a job stand for. It is walked as often as it is needed, and never held.
type list struct {
	feeder *feed.Feeder
	ranks  []int // of the inputs, -1 for any
	given  *feed.Given
	open   []int // inputs that have no file by their names
	rows   bool  // arrays have an input in each row
}

// newList reads the arguments.
func newList(f *feed.Feeder, ranks []int, args []string, rows bool) (*list, error) {
	for _, a := range args {
		if a == feed.Stdin || strings.HasSuffix(a, "="+feed.Stdin) {
			return nil, usage("standard input is no list of inputs; give files, folders or lists")
		}
	}
	g, err := f.Assign(args)
	if err != nil {
		return nil, err
	}
	l := &list{f, ranks, g, f.Wanting(g), rows}
	switch {
	case g.Varied >= 0 && (len(g.Others) > 0 || len(l.open) > 0):
		return nil, usage("%s: several files are given for it; then every other input needs NAME=FILE", f.Inputs[g.Varied].Name)
	case len(args) == 0:
		return nil, usage("no inputs are given")
	case len(g.Others) == 0 && len(l.open) > 0:
		return nil, usage("the model needs a file for %s, too", f.Inputs[l.open[0]])
	case rows && !slices.ContainsFunc(g.Others, l.haveRows):
		return nil, usage("no input is an .npz or .npy, of whose rows inputs could be made")
	}
	return l, nil
}

// haveRows reports whether an argument stands for arrays, or for what cannot be read, of which a walk tells more.
func (l *list) haveRows(arg string) bool {
	files, _, err := feed.StandsFor(arg, l.given.Takes)
	return err != nil || slices.ContainsFunc(files, func(file string) bool {
		form := feed.FormOf(file, nil)
		return form == feed.Array || form == feed.Archive
	})
}

// found looks up the files that are named, so that nothing is begun of a list with a mistake in it.
func (l *list) found() error {
	named := l.given.Others
	for _, files := range l.given.Named {
		named = append(slices.Clone(named), files...)
	}
	for _, name := range named {
		if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
			continue // whoever opens it says what else is wrong
		}
		if _, several, err := feed.StandsFor(name, l.given.Takes); err != nil || several {
			continue // such as a pattern
		}
		return &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return nil
}

// everything is beyond the last item.
const everything = math.MaxInt64

// errEnough ends a walk.
var errEnough = errors.New("no more items are wanted")

// walk calls a function for all items in their order. Only those from lo to hi-1 may be opened, and those from hi on may be left out.
func (l *list) walk(ctx context.Context, lo, hi int64, visit func(*Item) error) error {
	w := &walker{list: l, ctx: ctx, lo: lo, hi: hi, visit: visit}
	if err := w.all(); !errors.Is(err, errEnough) {
		return err
	}
	return nil
}

// walker is on its way through a list.
type walker struct {
	*list
	ctx    context.Context
	lo, hi int64
	next   int64 // index of the next item
	visit  func(*Item) error
}

func (w *walker) all() error {
	if v := w.given.Varied; v >= 0 {
		return w.files(w.given.Named[v], func(j *feed.Job, file string) { j.Files[v] = file })
	}
	if len(w.given.Others) == 0 {
		j := w.given.Job()
		for i := range w.feeder.Inputs {
			if j.Source == "" {
				j.Source = j.Files[i]
			}
		}
		return w.job(j)
	}
	for _, a := range w.given.Others {
		if err := w.argument(a); err != nil {
			return err
		}
	}
	return nil
}

// containers are the files that stand for several inputs, by their endings.
var containers = []struct {
	endings []string
	walk    func(w *walker, name string) error
}{
	{[]string{".jsonl", ".ndjson"}, (*walker).lines},
	{[]string{".csv"}, (*walker).table},
	{[]string{".tar", ".tar.gz", ".tgz"}, (*walker).archive},
}

// argument walks through what an argument stands for.
func (w *walker) argument(arg string) error {
	if info, err := os.Stat(arg); err == nil && !info.IsDir() {
		low := strings.ToLower(arg)
		for _, c := range containers {
			for _, ending := range c.endings {
				if strings.HasSuffix(low, ending) {
					return c.walk(w, arg)
				}
			}
		}
	}
	files, several, err := feed.StandsFor(arg, w.given.Takes)
	if err != nil {
		return err
	}
	for _, file := range files {
		form := feed.FormOf(file, nil)
		if w.rows && (form == feed.Archive || form == feed.Array && len(w.open) == 1) {
			err = w.arrays(file, form)
		} else if form != feed.Archive && len(w.open) != 1 && !several {
			return usage("%s: the model needs several inputs; give an .npz with all of them, a list (.jsonl, .csv), or NAME=FILE", file)
		} else {
			err = w.files([]string{file}, w.plain)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// plain assigns a file whose input is not named.
func (w *walker) plain(j *feed.Job, file string) {
	if feed.FormOf(file, nil) == feed.Archive || len(w.open) != 1 {
		j.Archive = file
	} else {
		j.Files[w.open[0]] = file
	}
}

// files visits an item for each file.
func (w *walker) files(files []string, assign func(j *feed.Job, file string)) error {
	for _, file := range files {
		j := w.given.Job()
		j.Source = file
		assign(j, file)
		if err := w.job(j); err != nil {
			return err
		}
	}
	return nil
}

// job visits an item that is made of files of the machine.
func (w *walker) job(j *feed.Job) error {
	return w.item(&Item{Source: j.Source, mark: func() string { return marks(j) }, open: func() (*opened, error) { return &opened{Job: j}, nil }})
}

// item visits an item.
func (w *walker) item(it *Item) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if it.Index = w.next; w.next >= w.hi {
		return errEnough
	}
	w.next++
	return w.visit(it)
}

// wanted reports whether the next item may be opened.
func (w *walker) wanted() bool { return w.next >= w.lo && w.next < w.hi }

// marks tells of the files of a job what changes when they do.
func marks(j *feed.Job) string {
	var b strings.Builder
	if j.Archive != "" {
		b.WriteString(stamp(j.Archive))
	}
	for i := range len(j.Files) + 1 {
		if file := j.Files[i]; file != "" {
			b.WriteString(stamp(file))
		}
	}
	return b.String()
}

// stamp is the size of a file and when it was written.
func stamp(file string) string {
	info, err := os.Stat(file)
	if err != nil {
		return "missing;"
	}
	return stampOf(info)
}

func stampOf(info fs.FileInfo) string {
	return fmt.Sprintf("%d %d;", info.Size(), info.ModTime().UnixNano())
}

// beside returns the path of a file that a list names, which stands in the folder of the list.
func beside(list, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(list), filepath.FromSlash(name))
}

// arrays visits an item for each row of the arrays in a file.
func (w *walker) arrays(file string, form feed.Form) error {
	a, err := openArrays(file, form, w.list)
	if err != nil {
		return err
	}
	defer a.close()
	mark := func() string { return stamp(file) }
	for k := range a.rows {
		it := &Item{Source: fmt.Sprintf("%s[%d]", file, k), mark: mark}
		if w.wanted() {
			row, err := a.row(k, w.given)
			if err != nil {
				return err
			}
			row.Source = it.Source
			it.open = func() (*opened, error) { return &opened{Job: row}, nil }
		}
		if err := w.item(it); err != nil {
			return err
		}
	}
	return nil
}

// arrayRows are arrays whose first extents count inputs. They are read when the first row is asked for.
type arrayRows struct {
	*list
	file   string
	rows   int
	read   func(name string) (*tensor.Tensor, error)
	inputs []int // that have an array
	arrays []*tensor.Tensor
	close  func()
}

func openArrays(file string, form feed.Form, l *list) (*arrayRows, error) {
	a := &arrayRows{list: l, file: file, rows: -1, close: func() {}}
	count := func(i int, d tensor.DType, shape tensor.Shape) error {
		p := l.feeder.Inputs[i]
		if n := l.ranks[i]; len(shape) == 0 || n >= 0 && len(shape) != n && len(shape) != n+1 {
			return fmt.Errorf("%s: %s is %v%v; with --rows it must be rows of %v", file, p.Name, d, shape, p)
		}
		if slices.Contains(shape[1:], 0) { // of which a few bytes may announce any number
			return fmt.Errorf("%s: %s is %v%v; its rows have no elements", file, p.Name, d, shape)
		}
		if a.rows >= 0 && a.rows != shape[0] {
			return fmt.Errorf("%s: %s has %d rows and %s %d", file, l.feeder.Inputs[a.inputs[0]].Name, a.rows, p.Name, shape[0])
		}
		a.rows, a.inputs = shape[0], append(a.inputs, i)
		return nil
	}
	f, size, err := mapfile.OpenFile(file)
	if err != nil {
		return nil, err
	}
	a.close = func() { _ = f.Close() } // it has only been read
	if form == feed.Array {
		i := l.open[0]
		var t *tensor.Tensor
		if t, err = tensor.ReadNPY(f, tensor.Limits{}); err == nil {
			a.read = func(string) (*tensor.Tensor, error) { return t, nil }
			err = count(i, t.DType(), t.Shape())
		}
	} else {
		var z *tensor.NPZ
		if z, err = tensor.OpenNPZ(f, size, tensor.Limits{}); err == nil {
			a.read = z.Read
			for i, p := range l.feeder.Inputs {
				d, shape, missing := z.Type(p.Name)
				if missing != nil {
					continue // whether it must be there, the run says
				}
				if err = count(i, d, shape); err != nil {
					break
				}
			}
		}
	}
	if err == nil && a.rows < 0 {
		err = errors.New("it has no array for an input")
	}
	if err != nil {
		a.close()
		if !strings.Contains(err.Error(), file) {
			err = fmt.Errorf("%s: %w", file, err)
		}
		return nil, err
	}
	return a, nil
}

// row returns the job of row k.
func (a *arrayRows) row(k int, g *feed.Given) (*feed.Job, error) {
	if a.arrays == nil {
		a.arrays = make([]*tensor.Tensor, len(a.inputs))
		for n, i := range a.inputs {
			var err error
			if a.arrays[n], err = a.read(a.feeder.Inputs[i].Name); err != nil {
				return nil, fmt.Errorf("%s: %w", a.file, err)
			}
		}
	}
	j := g.Job()
	j.Tensors = make(map[string]*tensor.Tensor)
	for n, i := range a.inputs {
		t, err := a.arrays[n].Slice(0, k, k+1, 1)
		if err == nil && a.ranks[i] == t.Rank()-1 {
			t, err = t.Reshape(t.Shape()[1:]...)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.file, err)
		}
		j.Tensors[a.feeder.Inputs[i].Name] = t.Contiguous()
	}
	return j, nil
}
