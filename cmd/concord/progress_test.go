package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// shownProgress is progress on a terminal of some columns, which is a buffer.
func shownProgress(b *bytes.Buffer, what string, width int) *progress {
	return &progress{w: b, width: width, what: what, start: time.Now(), ended: make(chan struct{})}
}

func TestProgressLine(t *testing.T) {
	for _, c := range []struct {
		n, of int
		share float64
		width int
		took  time.Duration
		want  string
	}{
		{0, 0, 0, 80, 61 * time.Second, "files  1:01"},
		{0, 1, 0, 80, 2 * time.Second, "files  0:02"},
		{1, 4, 0, 80, 10 * time.Second, "████████░░░░░░░░░░░░░░░░░░░░░░░░░░░  25 %  1 of 4 files  10.0 s each  0:30 left"},
		{1, 4, 0.5, 60, 30 * time.Second, "█████░░░░░░░░░░  37 %  1 of 4 files  30.0 s each  0:50 left"},
		{5000, 10000, 0, 100, 10 * time.Second, "████████████████████░░░░░░░░░░░░░░░░░░░░  50 %  5000 of 10000 files  500/s  0:10 left"},
		{0, 1, 0.5, 30, 2 * time.Hour, "50 %  files  2:00:00 left"},
		{9, 9, 0.5, 20, time.Second, "100 %  9 of 9 file…"},
	} {
		p := shownProgress(nil, "files", c.width)
		p.update(c.n, c.of)
		p.part(c.share)
		got := p.line(c.took)
		if n := len([]rune(got)); n >= c.width || got != c.want {
			t.Errorf("%d columns: %q, want %q", n, got, c.want)
		}
	}
}

// TestProgressOver writes above what is shown, which comes back, and removes it in the end.
func TestProgressOver(t *testing.T) {
	var b bytes.Buffer
	p := shownProgress(&b, "files", 70)
	p.update(1, 2)
	over := &overProgress{p, &b}
	p.draw(p.start.Add(time.Second))
	for _, text := range []string{"one\n", "two\n"} {
		if _, err := over.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	p.draw(p.start.Add(2 * time.Second))
	current.Store(p)
	clearProgress()
	clearProgress()
	p.draw(p.start.Add(3 * time.Second))
	got := strings.NewReplacer("\r\x1b[K", "|", "░", "", "█", "").Replace(b.String())
	if want := "|  50 %  1 of 2 files  1.0/s  0:01 left|one\ntwo\n|  50 %  1 of 2 files  2.0 s each  0:02 left|"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestQuiet leaves out notes and progress, and nothing else.
func TestQuiet(t *testing.T) {
	dir := t.TempDir()
	loud, _ := execute(t, "run", digits(t, "model.nnef"), digits(t, "drawings", "one.png"), "--raw", "-o", dir)
	still, code := execute(t, "-q", "run", digits(t, "model.nnef"), digits(t, "drawings", "one.png"), "--raw", "-o", t.TempDir())
	if i := strings.Index(loud, "written: "); i < 0 || still != loud[:i] || code != 0 {
		t.Errorf("code %d, %q; want the beginning of %q", code, still, loud)
	}
	if out, code := execute(t, "convert", digits(t, "model.nnef"), dir+"/m.tgz", "--quiet"); code != 0 || out != "" {
		t.Errorf("code %d: %s", code, out)
	}
	if out, code := execute(t, "-q", "run", "absent.nnef"); code != exitInput || !strings.Contains(out, "absent.nnef") {
		t.Errorf("code %d: %s", code, out)
	}
	if out, code := execute(t, "run", "absent.nnef", "--color", "rgb"); code != exitUsage || !strings.Contains(out, "auto, always, never (the channels of a picture are --colour)") {
		t.Errorf("code %d: %s", code, out)
	}
}
