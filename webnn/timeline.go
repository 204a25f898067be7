package webnn

import "sync"

// timeline runs tasks one after the other, in the order in which they were enqueued, on a goroutine that exists only while
// there are tasks. So what is dropped with work in its queue finishes it, and what is dropped without leaves nothing behind.
type timeline struct {
	failed func(cause any) // told of the panic of a task

	mu      sync.Mutex
	tasks   []func()
	running bool
}

// enqueue adds a task.
func (t *timeline) enqueue(task func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tasks = append(t.tasks, task)
	if !t.running {
		t.running = true
		go t.work()
	}
}

// abandon drops the tasks that have not started.
func (t *timeline) abandon() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.tasks)
	t.tasks = t.tasks[:0]
}

func (t *timeline) work() {
	for task := t.next(); task != nil; task = t.next() {
		t.run(task)
	}
}

// next takes the first task; if there is none the goroutine has to end.
func (t *timeline) next() func() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.tasks) == 0 {
		t.tasks, t.running = nil, false
		return nil
	}
	task := t.tasks[0]
	t.tasks[0] = nil // what a task holds must not outlive it
	t.tasks = t.tasks[1:]
	return task
}

func (t *timeline) run(task func()) {
	defer func() {
		if cause := recover(); cause != nil {
			t.failed(cause)
		}
	}()
	task()
}
