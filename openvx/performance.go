package openvx

import "time"

// Times are measured while performance measurement is on for the context (DirectiveEnablePerformance). Each node is executed by itself
// then, as otherwise those that were fused would have no times of their own.

// Performance are times of runs (vx_perf_t).
type Performance struct {
	Begin, End         time.Duration // of the last run, since the context was made
	Sum, Avg, Min, Max time.Duration
	Num                int // of runs that were measured
}

// now returns the time since the context was made, if anybody wants to know.
func (g *Graph) now() time.Duration {
	if !g.course.made.measured {
		return 0
	}
	return time.Since(g.ctx.made)
}

// measure adds what has begun at a time and ends now.
func (g *Graph) measure(p *Performance, began time.Duration) {
	if g.course.made.measured {
		p.add(began, g.now())
	}
}

// add adds a run.
func (p *Performance) add(begin, end time.Duration) {
	took := end - begin
	if p.Num == 0 || took < p.Min {
		p.Min = took
	}
	p.Begin, p.End = begin, end
	p.Num++
	p.Sum += took
	p.Max = max(p.Max, took)
	p.Avg = p.Sum / time.Duration(p.Num)
}
