package random

import "github.com/concord-nn/concord/tensor"

var recurrentRules = []rule{
	recurrent("RNN", 1, "Tanh"),
	recurrent("GRU", 3, "Sigmoid", "Tanh"),
	recurrent("LSTM", 4, "Sigmoid", "Tanh", "Tanh"),
}

// recurrent is the rule of a recurrent network with some gates and activation functions.
func recurrent(op string, gates int, functions ...string) rule {
	return rule{op: op, opsets: "7", types: "f32", make: func(m *maker) {
		steps, batch, in, hidden := m.between(1, 4), m.between(1, 3), m.between(1, 3), m.between(1, 4)
		directions := m.passes(hidden, functions...)
		if m.chance(0.25) {
			m.attr("clip", 0.3+m.Float32())
		}
		switch op {
		case "GRU":
			m.flag("linear_before_reset", false)
		case "LSTM":
			m.flag("input_forget", false)
		}
		if m.opset >= 14 {
			m.maybe("layout", 0)
		}
		m.in(m.t, []int{steps, batch, in}, few)
		m.in(m.t, []int{directions, gates * hidden, in}, values{lo: -1, hi: 1})
		m.in(m.t, []int{directions, gates * hidden, hidden}, values{lo: -1, hi: 1})
		m.perhaps(m.t, []int{directions, 2 * gates * hidden}, values{lo: -1, hi: 1})
		if m.chance(0.4) {
			m.give(vector(tensor.Int32, m.extents(batch, 1, steps)...), m.chance(0.5))
		} else {
			m.skip()
		}
		state := []int{directions, batch, hidden}
		m.perhaps(m.t, state, values{lo: -1, hi: 1})
		n := 2
		if op == "LSTM" {
			m.perhaps(m.t, state, values{lo: -1, hi: 1})
			m.perhaps(m.t, []int{directions, 3 * hidden}, values{lo: -1, hi: 1})
			n = 3
		}
		for i := range n {
			if m.chance(0.8) || i == n-1 && m.node.Output[0] == "" {
				m.node.Output = append(m.node.Output, m.name())
			} else {
				m.node.Output = append(m.node.Output, "")
			}
		}
	}, loose: 3}
}

// passes chooses the directions of a recurrent network, whose number it returns, and the functions of its gates.
func (m *maker) passes(hidden int, functions ...string) int {
	m.attr("hidden_size", hidden)
	directions := 1
	switch option(m, "direction", "forward", "reverse", "bidirectional") {
	case "bidirectional":
		directions = 2
	}
	if m.chance(0.4) {
		var list []string
		var alphas, betas []float32
		for range directions {
			for i := range functions {
				f := one(m, "Tanh", "Sigmoid", "HardSigmoid", "Softsign", "ScaledTanh", "Relu", "LeakyRelu", "Elu", "Softplus", "Affine", "ThresholdedRelu")
				if i == 0 && len(functions) > 1 { // of gates, which would else make states grow
					f = one(m, "Tanh", "Sigmoid", "HardSigmoid", "Softsign", "ScaledTanh")
				}
				list = append(list, f)
				switch f {
				case "HardSigmoid", "Affine", "ScaledTanh":
					alphas, betas = append(alphas, 0.25+m.Float32()*0.5), append(betas, 0.25+m.Float32()*0.5)
				case "LeakyRelu", "Elu", "ThresholdedRelu":
					alphas = append(alphas, m.Float32()*0.5)
				}
			}
		}
		m.attr("activations", list)
		if alphas != nil {
			m.attr("activation_alpha", alphas)
		}
		if betas != nil {
			m.attr("activation_beta", betas)
		}
	}
	return directions
}

// dynamicLSTM adds the operands of an LSTM with codes for weights. At least one sequence has all steps, as others are quantised without what is beyond.
func dynamicLSTM(m *maker) {
	steps, batch, in, hidden := m.between(1, 4), m.between(1, 3), m.between(1, 3), m.between(1, 4)
	directions := m.passes(hidden, "Sigmoid", "Tanh", "Tanh")
	if m.chance(0.25) {
		m.attr("clip", 0.3+m.Float32())
	}
	m.flag("input_forget", false)
	m.in(m.t, []int{steps, batch, in}, few)
	d := one(m, tensor.Uint8, tensor.Int8)
	m.give(m.fill(d, []int{directions, in, 4 * hidden}, edges), m.chance(0.8))
	m.give(m.fill(d, []int{directions, hidden, 4 * hidden}, edges), m.chance(0.8))
	m.perhaps(m.t, []int{directions, 8 * hidden}, values{lo: -1, hi: 1})
	if m.chance(0.4) {
		m.give(vector(tensor.Int32, append(m.extents(batch-1, 1, steps), steps)...), m.chance(0.5))
	} else {
		m.skip()
	}
	state := []int{directions, batch, hidden}
	m.perhaps(m.t, state, values{lo: -1, hi: 1})
	m.perhaps(m.t, state, values{lo: -1, hi: 1})
	m.perhaps(m.t, []int{directions, 3 * hidden}, values{lo: -1, hi: 1})
	for range 2 {
		per := []int{directions}
		if m.chance(0.5) {
			per = []int{directions, 4 * hidden}
		}
		m.give(m.fill(m.t, per, values{lo: 0.002, hi: 0.01}), m.chance(0.8))
		zero := values{}
		if d == tensor.Uint8 && len(per) == 1 {
			zero = values{lo: 100, hi: 150}
		}
		m.give(m.fill(d, per, zero), m.chance(0.8))
	}
	m.exactly(3)
}

// perhaps adds an operand or leaves it out.
func (m *maker) perhaps(d tensor.DType, shape []int, v values) {
	if m.chance(0.6) {
		m.in(d, shape, v)
	} else {
		m.skip()
	}
}
