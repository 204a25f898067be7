package bulk

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/concord-nn/concord/internal/stage"
)

// When a chunk ends: what is lost if the process is killed.
const (
	chunkTime   = time.Second
	chunkBytes  = 16 << 20
	chunkInputs = 4096 // [Job.chunkInputs] has fewer in tests
)

// names are those of the files of a shard. Names that begin with _ are no data, as programs for tables have it.
type names struct {
	part    string // the result
	work    string // what is there of it, or what it is made of
	made    string // a result that is made of the working file
	journal string
	errors  string
}

func (j *Job) names(dir string, shard int) names {
	of := fmt.Sprintf("%05d-of-%05d", shard, j.opts.Shards)
	return names{
		part:    filepath.Join(dir, "part-"+of+"."+string(j.opts.Format)),
		work:    filepath.Join(dir, "_part-"+of+".work"),
		made:    filepath.Join(dir, "_part-"+of+".made"),
		journal: filepath.Join(dir, "_part-"+of+".journal"),
		errors:  filepath.Join(dir, "_errors-"+of+".jsonl"),
	}
}

// part is a shard that is being written, by one process at a time.
type part struct {
	names
	disk    disk
	most    int64 // inputs of a chunk
	journal file
	work    file
	history history
	sum     hash.Hash // of all of the working file

	pending []byte // of the chunk at hand, not yet written
	size    int64  // of the working file, without what is pending
	chunk   chunk  // at hand; Inputs are those that are done
	bytes   int64  // of the chunk at hand that are written
	digest  hash.Hash
	marks   hash.Hash
	content hash.Hash
	began   time.Time
	broken  bool // whether writing has failed; a disk that could not keep it may say later that it has
}

// ChangedError says that what was begun cannot be continued, because it is not the same any more.
type ChangedError struct {
	File string // the journal of what was begun
	What string // what has changed
}

// Error says what has changed and what to do.
func (e *ChangedError) Error() string {
	e = cmp.Or(e, new(ChangedError))
	return fmt.Sprintf("%s: %s; --force begins anew, another folder keeps both", e.File, e.What)
}

// BusyError says that another process is at work on a shard.
type BusyError struct{ File string }

// Error names the journal.
func (e *BusyError) Error() string {
	return cmp.Or(e, new(BusyError)).File + ": another process is at work on this shard"
}

// openPart opens the files of a shard and reads what is there of it.
func openPart(d disk, n names, most int64, own *begin, force bool) (_ *part, err error) {
	p := &part{names: n, disk: d, most: most, sum: sha256.New()}
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	if p.journal, err = d.Open(n.journal); err != nil {
		return nil, err
	}
	if err := p.journal.Lock(); errors.Is(err, stage.ErrLocked) {
		return nil, &BusyError{n.journal}
	} else if err != nil {
		return nil, err
	}
	if !force {
		if err := p.recall(); err != nil {
			return nil, err
		}
	}
	if p.history.begin != nil {
		if what := p.history.differs(own); what != "" && (len(p.history.chunks) > 0 || p.history.finish != nil) {
			return nil, &ChangedError{n.journal, what}
		} else if what != "" { // nothing is lost
			p.history = history{}
		}
	}
	return p, p.start(own)
}

// differs says why another job cannot go on with what is done; "" if it can.
func (h *history) differs(own *begin) string {
	switch b := h.begin; {
	case b.Job != own.Job:
		return "it was begun with another model, manifest, shapes or format"
	case b.Shard != own.Shard || b.Shards != own.Shards:
		return fmt.Sprintf("it is of shard %d of %d", b.Shard, b.Shards)
	case b.Inputs != own.Inputs:
		inputs := "inputs"
		if b.Inputs == 1 {
			inputs = "input"
		}
		return fmt.Sprintf("it was begun with %d %s, and there are %d now", b.Inputs, inputs, own.Inputs)
	case b.List != own.List:
		return "it was begun with inputs of other names, or in another order"
	case h.failures() > 0 && !own.Skip: // which have records
		return fmt.Sprintf("--on-error skip has noted %d of its inputs, which could not be computed", h.failures())
	}
	return ""
}

// recall reads the journal as far as it can be believed.
func (p *part) recall() error {
	size, err := p.journal.Size()
	if err != nil {
		return err
	}
	r := bufio.NewReaderSize(io.NewSectionReader(p.journal, 0, size), 1<<16)
	for {
		line, err := readEntry(r)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if e := parseEntry(line); e == nil || !p.history.follows(e, int64(len(line))) {
			return nil
		}
	}
}

// readEntry reads a line with its end. A longer one than there can be is no line.
func readEntry(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if line = append(line, part...); len(line) > lineBytes {
			return nil, io.EOF
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// start makes the files what the journal says.
func (p *part) start(own *begin) error {
	finished, err := p.finished()
	if err != nil || finished {
		return err
	}
	if p.work, err = p.disk.Open(p.names.work); err != nil {
		return err
	}
	if err := p.verify(); err != nil {
		return err
	}
	inputs, bytes := p.history.done()
	if err := errors.Join(p.journal.Truncate(p.history.size), p.work.Truncate(bytes)); err != nil {
		return err
	}
	p.size, p.chunk.Inputs = bytes, inputs
	p.next()
	if p.history.begin == nil {
		p.history.begin = own
		if err := p.write(&entry{Begin: own}); err != nil {
			return err
		}
		return p.disk.Sync(filepath.Dir(p.names.journal))
	}
	return nil
}

// finished reports whether the shard is complete, and brings to an end what lacks only that.
func (p *part) finished() (bool, error) {
	f := p.history.finish
	if f == nil {
		return false, nil
	}
	for _, name := range []string{p.part, p.made, p.names.work} {
		sum, size, err := p.digestOf(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return false, err
		}
		switch same := size == f.Bytes && sum == f.SHA256; {
		case !same && name == p.part:
			return false, &ChangedError{p.names.journal, name + " is not as it was written"}
		case !same:
			continue
		case name != p.part:
			return true, p.publish(name)
		}
		return true, p.clean()
	}
	p.history = history{} // somebody has removed the result
	return false, nil
}

func (p *part) digestOf(name string) (string, int64, error) {
	if _, err := p.disk.Size(name); err != nil { // opening makes it
		return "", 0, err
	}
	f, err := p.disk.Open(name)
	if err != nil {
		return "", 0, err
	}
	defer func() { _ = f.Close() }() // what counts is synced
	size, err := f.Size()
	if err != nil {
		return "", 0, err
	}
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(f, 0, size)); err != nil {
		return "", 0, err
	}
	return hex.EncodeToString(h.Sum(nil)), size, nil
}

// verify believes the chunks that the working file still has.
func (p *part) verify() error {
	size, err := p.work.Size()
	if err != nil {
		return err
	}
	at := int64(0)
	for i, c := range p.history.chunks {
		if c.Bytes <= size {
			h := sha256.New()
			if _, err := io.Copy(io.MultiWriter(h, p.sum), io.NewSectionReader(p.work, at, c.Bytes-at)); err != nil {
				return err
			}
			if at = c.Bytes; hex.EncodeToString(h.Sum(nil)) == c.SHA256 {
				continue
			}
		}
		return p.forget(i)
	}
	return nil
}

// forget drops the chunks from one on.
func (p *part) forget(first int) error {
	h := &p.history
	if h.chunks = h.chunks[:first]; first > 0 {
		h.size = h.ends[first-1]
	} else { // the line before the first chunk
		h.size = 0
		h.begin = nil
	}
	h.ends, h.failed = h.ends[:first], h.failed[:first]
	_, bytes := h.done()
	p.sum = sha256.New()
	_, err := io.Copy(p.sum, io.NewSectionReader(p.work, 0, bytes))
	return err
}

// next begins a chunk.
func (p *part) next() {
	p.chunk = chunk{Inputs: p.chunk.Inputs}
	p.bytes, p.began = 0, time.Now()
	p.digest, p.marks, p.content = sha256.New(), sha256.New(), sha256.New()
}

// add appends the record of an input.
func (p *part) add(record []byte, it *Item, r *result) error {
	p.pending = append(p.pending, record...)
	p.bytes += int64(len(record))
	p.digest.Write(record)
	p.sum.Write(record)
	note(p.marks, it.Source, r.mark)
	p.content.Write(r.input[:])
	p.chunk.Inputs++
	if r.err != nil {
		p.chunk.Errors = append(p.chunk.Errors, fault{it.Index, it.Source, r.err.Error()})
	}
	if p.due() {
		return p.commit()
	}
	return nil
}

// note adds what tells whether an item is as it was.
func note(marks hash.Hash, source, mark string) { _, _ = io.WriteString(marks, source+"\n"+mark+"\n") }

// due reports whether the chunk at hand should end.
func (p *part) due() bool {
	inputs, _ := p.history.done()
	return p.bytes >= chunkBytes || p.chunk.Inputs-inputs >= p.most || time.Since(p.began) >= chunkTime
}

// flush writes what is pending.
func (p *part) flush() error {
	if len(p.pending) > 0 {
		if _, err := p.work.WriteAt(p.pending, p.size); err != nil {
			return err
		}
	}
	p.size += int64(len(p.pending))
	p.pending = p.pending[:0]
	return nil
}

// commit ends the chunk at hand: from now on it is not computed again. It is not tried again if it has failed.
func (p *part) commit() error {
	if inputs, _ := p.history.done(); p.chunk.Inputs == inputs || p.broken {
		return nil
	}
	p.broken = true
	if err := p.flush(); err != nil {
		return err
	}
	if err := p.work.Sync(); err != nil {
		return err
	}
	c := p.chunk
	c.Bytes = p.size
	c.SHA256, c.Marks, c.Content = hexSum(p.digest), hexSum(p.marks), hexSum(p.content)
	if err := p.write(&entry{Chunk: &c}); err != nil {
		return err
	}
	p.broken = false
	p.next()
	return nil
}

func hexSum(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

// write appends a line to the journal.
func (p *part) write(e *entry) error {
	line, err := e.line()
	if err != nil {
		return err
	}
	if _, err := p.journal.WriteAt(line, p.history.size); err != nil {
		return err
	}
	if err := p.journal.Sync(); err != nil {
		return err
	}
	if e.Begin != nil {
		p.history.size += int64(len(line))
	} else if !p.history.follows(e, int64(len(line))) {
		return fmt.Errorf("%s: the line does not follow", p.names.journal)
	}
	return nil
}

// end makes the result of the working file, when all inputs are done.
func (p *part) end(j *Job) error {
	if p.history.finish != nil {
		return nil
	}
	if err := p.commit(); err != nil {
		return err
	}
	if err := p.listErrors(); err != nil {
		return err
	}
	name, f := p.names.work, &finish{p.size, hexSum(p.sum)}
	if j.opts.Format != JSONLines {
		name = p.made
		made, err := p.assemble(j)
		if err != nil {
			return err
		}
		f = made
	}
	if err := p.write(&entry{Finish: f}); err != nil {
		return err
	}
	return p.publish(name)
}

// assemble makes the result in a file of its own.
func (p *part) assemble(j *Job) (*finish, error) {
	f, err := p.disk.Open(p.made)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // what counts is synced
	if err := f.Truncate(0); err != nil {
		return nil, err
	}
	w := &fileWriter{file: f, sum: sha256.New()}
	b := bufio.NewWriterSize(w, 1<<20)
	err = j.assemble(b, p.chunk.Inputs, io.NewSectionReader(p.work, 0, p.size))
	if err = errors.Join(err, b.Flush()); err == nil {
		err = f.Sync()
	}
	return &finish{w.size, hexSum(w.sum)}, err
}

// fileWriter appends to a file.
type fileWriter struct {
	file file
	size int64
	sum  hash.Hash
}

func (w *fileWriter) Write(data []byte) (int, error) {
	n, err := w.file.WriteAt(data, w.size)
	w.size += int64(n)
	w.sum.Write(data[:n])
	return n, err
}

// publish gives the result its name.
func (p *part) publish(name string) error {
	if p.work != nil && name == p.names.work { // Windows renames no open file
		err := p.work.Close()
		if p.work = nil; err != nil {
			return err
		}
	}
	if err := p.disk.Rename(name, p.part); err != nil {
		return err
	}
	if err := p.disk.Sync(filepath.Dir(p.part)); err != nil {
		return err
	}
	return p.clean()
}

// clean removes what is of no use beside the result.
func (p *part) clean() error {
	if p.work != nil {
		_ = p.work.Close() // it is not needed any more
		p.work = nil
	}
	for _, name := range []string{p.names.work, p.made} {
		if err := p.disk.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// listErrors writes the inputs that could not be computed, which the journal has, into a file of their own.
func (p *part) listErrors() error {
	if p.history.failures() == 0 {
		if err := p.disk.Remove(p.errors); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	f, err := p.disk.Open(p.made)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // what counts is synced
	if err := f.Truncate(0); err != nil {
		return err
	}
	w := &fileWriter{file: f, sum: sha256.New()}
	b := bufio.NewWriterSize(w, 1<<16)
	r := bufio.NewReaderSize(io.NewSectionReader(p.journal, 0, p.history.size), 1<<16)
	for {
		line, err := readEntry(r)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		e := parseEntry(line)
		if e == nil || e.Chunk == nil {
			continue
		}
		for _, x := range e.Chunk.Errors {
			text, err := jsonLine(x)
			if err != nil {
				return err
			}
			_, _ = b.Write(text) // Flush has the error
		}
	}
	if err := b.Flush(); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return p.disk.Rename(p.made, p.errors)
}

// close lets go of the files. What is not committed is computed again.
func (p *part) close() {
	for _, f := range []file{p.work, p.journal} {
		if f != nil {
			_ = f.Close() // what counts is synced
		}
	}
}
