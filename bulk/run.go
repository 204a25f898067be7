package bulk

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// Summary is what a run has done.
type Summary struct {
	Inputs int64  `json:"inputs"`           // of the shard
	Before int64  `json:"before"`           // of these, that an earlier run had done
	Cached int64  `json:"cached"`           // that were in the cache
	Failed int64  `json:"failed"`           // that could not be computed
	File   string `json:"file"`             // the result
	SHA256 string `json:"sha256"`           // of the result, in hexadecimal
	Errors string `json:"errors"`           // the file that lists those that could not be computed; "" if there are none
	Unkept string `json:"unkept,omitempty"` // why an answer could not be put into the cache; "" if all could
}

// took notes where the answer of an input came from, and went to.
func (s *Summary) took(r *result) {
	if r.hit {
		s.Cached++
	}
	if r.unkept != nil {
		s.Unkept = cmp.Or(s.Unkept, r.unkept.Error())
	}
}

// Run computes a shard into files of a folder, which is made if it is missing:
//
//	part-00003-of-00016.jsonl      the result, when it is complete
//	_errors-00003-of-00016.jsonl   inputs that could not be computed, if there are any
//	_part-00003-of-00016.journal   what has been done, of which inputs, with checksums
//	_part-00003-of-00016.work      what there is of the result, until it is complete
//
// A run that ended before it was complete, however it ended, is continued, and the result has the bytes that it would have had without the
// interruption. If model, options or inputs have changed, that is a [*ChangedError], unless force begins anew; while another process is at work on
// the shard, it is a [*BusyError]. A complete shard is checked and left alone. progress, if it is not nil, is told how many of the shard's inputs are
// done.
func (j *Job) Run(ctx context.Context, dir string, shard int, force bool, progress func(done, of int64)) (Summary, error) {
	if err := j.enter(); err != nil {
		return Summary{}, err
	}
	defer j.gate.Leave()
	if !j.opts.SkipErrors { // else a record says so
		if err := j.list.found(); err != nil {
			return Summary{}, err
		}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return Summary{}, err
	}
	return j.run(ctx, hostDisk{}, dir, shard, force, progress)
}

func (j *Job) run(ctx context.Context, d disk, dir string, shard int, force bool, progress func(done, of int64)) (s Summary, err error) {
	from, to, err := j.bounds(ctx, shard)
	if err != nil {
		return s, err
	}
	if progress == nil {
		progress = func(int64, int64) {}
	}
	n := j.names(dir, shard)
	s = Summary{Inputs: to - from, File: n.part}
	own := &begin{Job: j.digest, Skip: j.opts.SkipErrors, Inputs: j.counts.items, List: j.counts.digest, Shard: shard, Shards: j.opts.Shards}
	p, err := openPart(d, n, j.chunkInputs, own, force)
	if err != nil {
		return s, err
	}
	defer p.close()
	if err := j.unchanged(ctx, p, from); err != nil {
		return s, err
	}
	s.Before, _ = p.history.done()
	progress(s.Before, s.Inputs)
	if p.history.finish == nil {
		err = j.each(ctx, from+s.Before, to, func(it *Item, r *result) error {
			record, err := j.record(it, r)
			if err != nil {
				return err
			}
			s.took(r)
			if err := p.add(record, it, r); err != nil {
				return err
			}
			progress(it.Index-from+1, s.Inputs)
			return nil
		})
		if err != nil {
			return s, errors.Join(err, p.commit())
		}
		if err = p.end(j); err != nil {
			return s, err
		}
	}
	s.SHA256 = p.history.finish.SHA256
	if s.Failed = p.history.failures(); s.Failed > 0 {
		s.Errors = n.errors
	}
	return s, nil
}

// Write computes a shard and writes what [Job.Run] writes into its result.
func (j *Job) Write(ctx context.Context, shard int, w io.Writer) (Summary, error) {
	if err := j.enter(); err != nil {
		return Summary{}, err
	}
	defer j.gate.Leave()
	from, to, err := j.bounds(ctx, shard)
	s := Summary{Inputs: to - from}
	if err != nil {
		return s, err
	}
	work, end := w, func() error { return nil }
	if j.opts.Format != JSONLines { // which are made of all records
		spool, err := os.CreateTemp("", "concord-bulk-")
		if err != nil {
			return s, err
		}
		defer func() { _ = errors.Join(spool.Close(), os.Remove(spool.Name())) }() // nobody needs it any more
		size := int64(0)
		work = writerFunc(func(data []byte) (int, error) {
			n, err := spool.Write(data)
			size += int64(n)
			return n, err
		})
		end = func() error { return j.assemble(w, s.Inputs, io.NewSectionReader(spool, 0, size)) }
	}
	err = j.each(ctx, from, to, func(it *Item, r *result) error {
		record, err := j.record(it, r)
		if err == nil {
			_, err = work.Write(record)
		}
		s.took(r)
		if r.err != nil {
			s.Failed++
		}
		return err
	})
	if err == nil {
		err = end()
	}
	return s, err
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(data []byte) (int, error) { return f(data) }

// Record computes one item and returns its line of the result, with its end, for a job of [JSONLines].
func (j *Job) Record(ctx context.Context, it *Item) ([]byte, error) {
	if err := j.enter(); err != nil {
		return nil, err
	}
	defer j.gate.Leave()
	if it == nil || it.open == nil {
		return nil, errors.New("there is no item: it is nil or the zero Item; Job.Items gives them")
	}
	if j.opts.Format != JSONLines {
		return nil, usage("records are for %s; this job writes %s", JSONLines, j.opts.Format)
	}
	w := j.worker()
	defer j.rest(w)
	r := w.one(ctx, it)
	if err := j.check(&r); err != nil {
		return nil, err
	}
	return j.record(it, &r)
}

// check returns the error of a result that must end the run.
func (j *Job) check(r *result) error {
	if r.err != nil && (!j.opts.SkipErrors || fatal(r.err)) {
		return r.err
	}
	return nil
}

// record is what stands in the working file for an item: in JSON lines its line, and else, behind its length, the line and the tensors.
func (j *Job) record(it *Item, r *result) ([]byte, error) {
	own := r.answer
	var line []byte
	var err error
	if r.err != nil {
		own = &answer{}
		line, err = failed(it.Source, r.err)
	} else {
		line, err = own.line(it.Source)
	}
	if err != nil || j.opts.Format == JSONLines {
		return line, err
	}
	whole := &answer{report: bytes.TrimRight(line, "\n"), tensors: own.tensors}
	return appendBytes(nil, whole.bytes()), nil
}

// errUnsteady is the error of a list that changes while it is read.
var errUnsteady = errors.New("the list of inputs has changed while it was read")

// each computes items and calls a function for their results, in the order of the list.
func (j *Job) each(asked context.Context, from, to int64, take func(*Item, *result) error) error {
	ctx, cancel := context.WithCancelCause(asked)
	defer cancel(nil)
	type group struct {
		items   []*Item
		results []result
		done    chan struct{}
	}
	work := make(chan *group)
	order := make(chan *group, 2*j.opts.Workers) // bounds what is at hand
	var all sync.WaitGroup
	all.Go(func() {
		defer close(order)
		defer close(work)
		g := &group{done: make(chan struct{})}
		send := func() error {
			for _, c := range []chan *group{order, work} {
				select {
				case c <- g:
				case <-ctx.Done():
					return context.Cause(ctx)
				}
			}
			g = &group{done: make(chan struct{})}
			return nil
		}
		next := from
		err := j.list.walk(ctx, from, to, func(it *Item) error {
			if it.Index < from {
				return nil
			}
			next = it.Index + 1
			if g.items = append(g.items, it); len(g.items) < j.opts.Batch {
				return nil
			}
			return send()
		})
		if err == nil && len(g.items) > 0 {
			err = send()
		}
		if err == nil && next != to {
			err = errUnsteady
		}
		if err != nil {
			cancel(err)
		}
	})
	for range j.opts.Workers {
		all.Go(func() {
			w := j.worker()
			defer j.rest(w)
			for g := range work {
				g.results = w.compute(ctx, g.items)
				close(g.done)
			}
		})
	}
	err := func() error {
		for g := range order {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			select {
			case <-g.done:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
			for i := range g.items {
				if err := j.check(&g.results[i]); err != nil {
					return err
				}
				if err := take(g.items[i], &g.results[i]); err != nil {
					return err
				}
				g.items[i], g.results[i] = nil, result{}
			}
		}
		return context.Cause(ctx)
	}()
	cancel(err)
	for range order { // what is at hand ends
	}
	all.Wait()
	if ended := asked.Err(); ended != nil && err != nil {
		return ended // whatever that has broken
	}
	return err
}

// unchanged checks that the inputs that are done are as they were.
func (j *Job) unchanged(ctx context.Context, p *part, from int64) error {
	chunks := p.history.chunks
	done, _ := p.history.done()
	if done == 0 {
		return nil
	}
	type span struct {
		from, to    int64
		content     string
		first, last string
	}
	var doubtful []span
	marks, first := sha256.New(), ""
	k := 0
	err := j.list.walk(ctx, everything, from+done, func(it *Item) error {
		if it.Index < from {
			return nil
		}
		if first == "" {
			first = it.Source
		}
		note(marks, it.Source, it.mark())
		if it.Index+1-from < chunks[k].Inputs {
			return nil
		}
		if hexSum(marks) != chunks[k].Marks {
			begin := from
			if k > 0 {
				begin += chunks[k-1].Inputs
			}
			doubtful = append(doubtful, span{begin, it.Index + 1, chunks[k].Content, first, it.Source})
		}
		marks, first = sha256.New(), ""
		k++
		return nil
	})
	if err != nil {
		return err
	}
	if len(doubtful) == 0 {
		return nil
	}
	w := j.worker()
	defer j.rest(w)
	content := sha256.New()
	return j.list.walk(ctx, doubtful[0].from, doubtful[len(doubtful)-1].to, func(it *Item) error {
		s := doubtful[0]
		if it.Index < s.from {
			return nil
		}
		_, input, _ := w.read(it) // zeros if it cannot be read, as before
		content.Write(input[:])
		if it.Index+1 < s.to {
			return nil
		}
		if hexSum(content) != s.content {
			return &ChangedError{p.names.journal, fmt.Sprintf("of the inputs from %s to %s one is not as it was when it was computed", s.first, s.last)}
		}
		if doubtful = doubtful[1:]; len(doubtful) == 0 {
			return errEnough
		}
		content.Reset()
		return nil
	})
}

// records reads the records of a working file, one after another.
func records(r io.ByteReader, rest io.Reader, visit func(*answer) error) error {
	for {
		n, err := binary.ReadUvarint(r)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		data := make([]byte, n)
		if _, err := io.ReadFull(rest, data); err != nil {
			return err
		}
		s := &scanner{data: data}
		a := s.answer()
		if s.err != nil {
			return s.err
		}
		if err := visit(a); err != nil {
			return err
		}
	}
}
