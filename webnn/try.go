package webnn

// Must unwraps the results of a builder's methods within [Try].
type Must struct{ err error }

// One returns the operand. If there is an error it ends the function that [Try] runs.
func (m *Must) One(o *Operand, err error) *Operand {
	m.check(err)
	return o
}

// All is One for the methods that return several operands.
func (m *Must) All(o []*Operand, err error) []*Operand {
	m.check(err)
	return o
}

// check leaves the function that Try runs. Try recognises its own Must, so that no other panic is taken for an error.
func (m *Must) check(err error) {
	if err != nil {
		m.err = err
		panic(m)
	}
}

// Try runs define, which builds a part of a graph and wraps each call in must.One or must.All in place of an error check. The
// first error ends define, and Try returns it. Must is for define alone, and for the goroutine that runs it; other panics of
// define pass through. A function that is nil is a TypeError.
func Try(define func(must *Must)) (err error) {
	if define == nil {
		return reject(TypeError, "webnn.Try", "define", "the function is nil")
	}
	must := new(Must)
	defer func() {
		if must.err == nil {
			return // whatever happened, it is not an error of ours
		}
		if cause := recover(); cause != nil && cause != any(must) {
			panic(cause)
		}
		err = must.err
	}()
	define(must)
	return nil
}
