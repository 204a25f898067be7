package openvx

import "github.com/concord-nn/concord/internal/limits"

// Delay holds objects of one kind that take each other's contents when it ages (vx_delay).
type Delay struct {
	object
	slots []Reference // the current one, the one before it, …
}

// CreateDelay makes a delay of a number of objects like the exemplar, which is not kept (vxCreateDelay). The exemplar is a tensor, an
// image, an object array, a scalar or a table of the context; others are ErrorInvalidType. There are 1 to 65536 slots, else the error is
// ErrorInvalidParameters. Contents are zeros at first.
func (c *Context) CreateDelay(exemplar Reference, slots int) (*Delay, error) {
	return create(c, ".CreateDelay", func() *Delay {
		o := c.check(exemplar, "the exemplar")
		if slots < 1 || slots > limits.VXSlots {
			refuse(ErrorInvalidParameters, "a delay has 1 to %d slots, not %d", limits.VXSlots, slots)
		}
		d := &Delay{slots: c.clones(slots, func(int) Reference { return o.self })}
		for _, r := range d.slots {
			for _, part := range regions(r) {
				part.root.delayed = true
			}
		}
		c.register(&d.object, d, TypeDelay)
		return d
	})
}

func (d *Delay) destroy() { dropAll(d.slots) }

// dropAll takes back references of an object to others.
func dropAll(list []Reference) {
	for _, r := range list {
		r.base().drop()
	}
}

// Reference returns the object at an index (vxGetReferenceFromDelay): 0 is the current one, −1 the one before, down to 1 − Slots;
// others are ErrorInvalidParameters. It adds no reference: the application must not release the object unless it retains it.
func (d *Delay) Reference(i int) (Reference, error) {
	return create(d, ".Reference", func() Reference {
		if i > 0 || -i >= len(d.slots) || -i < 0 {
			refuse(ErrorInvalidParameters, "there is no slot %d: %d to 0 are", i, 1-len(d.slots))
		}
		return d.slots[-i]
	})
}

// Age moves the contents of each slot to the one before, those of the last to slot 0 (vxAgeDelay). The objects remain what and where
// they are, so graphs see the moved contents. While a graph that uses one of them runs the error is ErrorGraphScheduled; while one is
// mapped it is Failure.
func (d *Delay) Age() error {
	return do(d, ".Age", func() {
		for _, r := range d.slots {
			checkUnused(r)
		}
		d.age()
	})
}

// age is Age with the lock held, at the end of a graph's run.
func (d *Delay) age() {
	for i := len(d.slots) - 1; i > 0; i-- {
		exchange(d.slots[i], d.slots[i-1])
	}
}
