package bulk

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"maps"
	"slices"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/feed"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/internal/report"
	"github.com/concord-nn/concord/internal/samples"
	"github.com/concord-nn/concord/pipeline"
	"github.com/concord-nn/concord/tensor"
)

// sessionsKept is how many sessions for different shapes a worker has.
const sessionsKept = 4

// worker computes answers by a thread and memory of its own.
type worker struct {
	*Job
	feeder   *feed.Feeder
	sessions []*kept // the one used last first
	together *samples.Session
	samples  []*session        // of the run at hand: one session of the model, and for each sample where its picture was
	contents map[string][]byte // of the files of the item at hand
}

// kept is a session for inputs of some shapes.
type kept struct {
	key string
	*session
}

// worker returns one that is idle, or a new one.
func (j *Job) worker() *worker {
	select {
	case w := <-j.idle:
		return w
	default:
	}
	w := &worker{Job: j, feeder: j.feeder()}
	w.feeder.Content = w.content
	return w
}

// rest puts a worker back.
func (j *Job) rest(w *worker) {
	select {
	case j.idle <- w:
	default:
	}
}

// result is what has become of an item: an answer, or why there is none.
type result struct {
	answer *answer
	err    error
	input  [sha256.Size]byte // digest of the input; zero if it cannot be read
	mark   string            // of the item, from before it was read
	hit    bool              // whether the answer was in the cache
	unkept error             // why it could not be put there
}

// content reads a file of the item at hand, once.
func (w *worker) content(name string, most int64) ([]byte, error) {
	data, ok := w.contents[name]
	if !ok {
		var err error
		if data, err = mapfile.ReadFile(name, most); err != nil {
			return nil, err
		}
		w.contents[name] = data
	} else if int64(len(data)) > most {
		return nil, fmt.Errorf("%s: it is larger than the limit of %d bytes", name, most)
	}
	return data, nil
}

// read opens an item and reads all that it is made of.
func (w *worker) read(it *Item) (*feed.Job, [sha256.Size]byte, error) {
	var none [sha256.Size]byte
	o, err := it.open()
	if err != nil {
		return nil, none, err
	}
	if w.contents = o.contents; w.contents == nil {
		w.contents = make(map[string][]byte)
	}
	h := sha256.New()
	if o.Archive != "" {
		if err := w.hash(h, -1, o.Archive); err != nil {
			return nil, none, err
		}
	}
	for _, i := range slices.Sorted(maps.Keys(o.Files)) {
		if err := w.hash(h, i, o.Files[i]); err != nil {
			return nil, none, err
		}
	}
	list := make([]tensor.Named, 0, len(o.Tensors))
	for _, name := range naming.Sorted(o.Tensors) {
		if t := o.Tensors[name]; t != nil {
			list = append(list, tensor.Named{Name: name, Tensor: t})
		}
	}
	h.Write(appendTensors(nil, list))
	return o.Job, [sha256.Size]byte(h.Sum(nil)), nil
}

// hash adds the contents of a file and what they are for.
func (w *worker) hash(h hash.Hash, input int, file string) error {
	data, err := w.content(file, feed.Most(file))
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	head := binary.AppendVarint(nil, int64(input))
	h.Write(appendBytes(appendBytes(head, []byte(feed.FormOfName(file))), sum[:]))
	return nil
}

// compute answers for items, in one run if they are several.
func (w *worker) compute(ctx context.Context, items []*Item) []result {
	results := make([]result, len(items))
	if w.batch == nil {
		for i, it := range items {
			results[i] = w.one(ctx, it)
		}
		return results
	}
	var ready []int // items that are samples of the run
	for i, it := range items {
		j, r := w.begin(it)
		if results[i] = r; r.err != nil || r.answer != nil {
			continue
		}
		joined, err := w.join(j, len(ready))
		if err != nil {
			results[i].err = j.Placed(err)
		} else if joined {
			ready = append(ready, i)
		} else {
			results[i] = w.one(ctx, it)
		}
	}
	if len(ready) == 0 {
		return results
	}
	err := w.together.Run(ctx)
	for k, i := range ready {
		if err != nil && !fatal(err) { // which may be due to one of them
			results[i] = w.one(ctx, items[i])
		} else if results[i].err = err; err == nil {
			results[i].answer, results[i].err = w.take(k)
			w.end(&results[i])
		}
	}
	return results
}

// begin reads an item and looks for its answer in the cache.
func (w *worker) begin(it *Item) (*feed.Job, result) {
	mark := it.mark()
	j, input, err := w.read(it)
	r := result{err: err, input: input, mark: mark}
	if err == nil && w.cache != nil {
		r.answer = w.cache.get(w.digest, input)
		r.hit = r.answer != nil
	}
	if err != nil {
		r.err = (&feed.Job{Source: it.Source}).Placed(err)
	}
	return j, r
}

// end puts a new answer into the cache.
func (w *worker) end(r *result) {
	if r.err == nil && w.cache != nil {
		r.unkept = w.cache.put(w.digest, r.input, r.answer)
	}
}

// one answers for one item.
func (w *worker) one(ctx context.Context, it *Item) result {
	j, r := w.begin(it)
	if r.err != nil || r.answer != nil {
		return r
	}
	r.answer, r.err = w.run(ctx, j)
	if r.err != nil {
		r.err = j.Placed(r.err)
	}
	w.end(&r)
	return r
}

// run runs a job and says what its outputs mean.
func (w *worker) run(ctx context.Context, j *feed.Job) (*answer, error) {
	s, windows, err := w.set(j)
	if err != nil {
		return nil, err
	}
	s.Reset()
	for i := range windows {
		if err := s.answers.Step(ctx, i); err != nil {
			return nil, err
		}
	}
	return w.interpret(s)
}

// set gives the inputs of a job to a session for their shapes.
func (w *worker) set(j *feed.Job) (*session, int, error) {
	defer w.feeder.Release()
	in, err := w.feeder.Read(j)
	if err != nil {
		return nil, 0, err
	}
	s, err := w.sessionFor(in)
	if err != nil {
		return nil, 0, err
	}
	windows, err := s.answers.Set(in)
	return s, windows, w.feeder.From(j, err)
}

// sessionFor returns a session for the shapes of inputs.
func (w *worker) sessionFor(in pipeline.Inputs) (*session, error) {
	shapes := w.shapes
	if slices.Contains(w.open, true) {
		shapes = maps.Clone(shapes)
		for i, p := range w.inputs {
			if t := in.Tensors[p.Name]; w.open[i] && t != nil {
				shapes[p.Name] = t.Shape()
			}
		}
	}
	key := w.model.Key(shapes)
	at := slices.IndexFunc(w.sessions, func(k *kept) bool { return k.key == key })
	if at < 0 {
		s, err := w.session(shapes)
		if err != nil {
			return nil, err
		}
		if at = len(w.sessions); at == sessionsKept {
			at--
			w.sessions = w.sessions[:at]
		}
		w.sessions = append(w.sessions, &kept{key, s})
	}
	k := w.sessions[at]
	copy(w.sessions[1:at+1], w.sessions[:at])
	w.sessions[0] = k
	return k.session, nil
}

// interpret makes the answer of a session that has run.
func (w *worker) interpret(s *session) (*answer, error) {
	rep := &report.Report{}
	if err := rep.Encode(w.model, s.Output); err != nil {
		return nil, err
	}
	if err := rep.Interpret(w.manifest, s.Outputs(), s.answers); err != nil {
		return nil, err
	}
	line, err := rep.Line()
	if err != nil {
		return nil, err
	}
	a := &answer{report: line[:len(line)-1]}
	for i, p := range s.Outputs() {
		plain := func(o *report.Output) bool { return o.Name == p.Name && o.Kind == "tensor" }
		if w.opts.Format == NPZ || w.opts.Format == Parquet && slices.ContainsFunc(rep.Outputs, plain) {
			t, err := s.Output(i).Copy()
			if err != nil {
				return nil, err
			}
			a.tensors = append(a.tensors, tensor.Named{Name: p.Name, Tensor: t})
		}
	}
	return a, nil
}

// join makes a job sample k of those that run together. It reports false if the job is no such sample, as one that has several itself.
func (w *worker) join(j *feed.Job, k int) (bool, error) {
	defer w.feeder.Release()
	in, err := w.feeder.Read(j)
	if err != nil {
		return false, err
	}
	s, err := w.sample(in, k)
	if s == nil || err != nil {
		return false, err
	}
	if _, err := s.answers.Set(in); err != nil {
		return false, w.feeder.From(j, err)
	}
	for i := range s.Inputs() {
		err := w.together.Put(i, k, s.Input(i))
		if shared := (*samples.SharedError)(nil); errors.As(err, &shared) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

// sample returns what inputs for sample k are set in and its answer is read from, nil if they are none.
func (w *worker) sample(in pipeline.Inputs, k int) (*session, error) {
	s, err := w.sessionFor(in)
	if err != nil {
		return nil, err
	}
	for i, p := range w.batch.Inputs() {
		if !p.Type.Equal(s.Inputs()[i].Type) {
			return nil, nil
		}
	}
	if w.together == nil {
		if w.together, err = w.batch.Session(w.opts.Batch); err != nil {
			return nil, err
		}
	}
	if k == len(w.samples) {
		one := s.Session
		if k > 0 {
			one = w.samples[0].Session
		}
		answers, err := pipeline.NewSession(one, w.manifest)
		if err != nil {
			return nil, err
		}
		w.samples = append(w.samples, &session{one, answers})
	}
	return w.samples[k], nil
}

// take makes the answer of sample k.
func (w *worker) take(k int) (*answer, error) {
	s := w.samples[k]
	for i := range s.Outputs() {
		if err := w.together.Take(i, k, s.Output(i)); err != nil {
			return nil, err
		}
	}
	return w.interpret(s)
}

// fatal reports whether an error says nothing about an input, so that no record may have it.
func fatal(err error) bool {
	limit := (*engine.LimitError)(nil)
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.As(err, &limit) && limit.What == "time"
}
