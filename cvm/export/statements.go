package export

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/cvm/symbol"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/cvm/operators"
	"github.com/concord-nn/concord/tensor"
)

// The names of the statements.
const (
	modelStatement    = "concord_cvm"
	variableStatement = "concord_cvm_variable"
	nodeStatement     = "concord_cvm_node"
)

// statements returns the extension statements of a symbol.
func statements(s *symbol.Symbol) ([]string, error) {
	var first []int // the first entry of each node
	entries := 0
	number := func(list []symbol.Entry) string {
		numbers := make([]int, len(list))
		for i, e := range list {
			numbers[i] = first[e.Node] + e.Output
		}
		return commas(numbers)
	}
	rows := []string{""}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		first = append(first, entries)
		name := graph.QuoteText(n.Name)
		if n.Attrs == nil || n.Op == symbol.Variable {
			rows = append(rows, fmt.Sprintf("%s %s %s %d %d", variableStatement, name, commas(s.Shape[entries]),
				s.Precision[entries], s.StorageID[entries]))
			entries++
			continue
		}
		o, _ := operators.Lookup(n.Attrs.FuncName)
		if o == nil {
			return nil, fmt.Errorf("there is no operator %q", n.Attrs.FuncName)
		}
		rows = append(rows, fmt.Sprintf("%s %s %s %s %s %s", nodeStatement, name, graph.QuoteText(n.Attrs.FuncName),
			graph.QuoteText(s.OpAttrs[i]),
			number(n.Inputs), commas(s.StorageID[entries:entries+o.Outputs])))
		entries += o.Outputs
	}
	rows[0] = fmt.Sprintf("%s %s %s %s", modelStatement, graph.QuoteText(s.Version), graph.QuoteText(s.Postprocess), number(s.Heads))
	return rows, nil
}

// commas writes a list of numbers.
func commas(list []int) string {
	texts := make([]string, len(list))
	for i, n := range list {
		texts[i] = strconv.Itoa(n)
	}
	return strings.Join(texts, ",")
}

// model is what extension statements say.
type model struct {
	version, postprocess string
	heads                []int    // nil if the statements have none
	builder              *builder // nil if the statements have neither variables nor nodes
}

// parseStatements reads extension statements. Others than those of this package are left aside.
func parseStatements(list []string) (*model, error) {
	m := &model{version: symbol.V110}
	b := &builder{}
	for _, text := range list {
		name, rest, _ := strings.Cut(text, " ")
		parse := parsers[name]
		if parse == nil {
			continue
		}
		words, err := wordsOf(rest)
		if err == nil {
			err = parse(m, b, words)
		}
		if err != nil {
			return nil, fmt.Errorf("extension %s: %w", text, err)
		}
	}
	if len(b.nodes) > 0 {
		m.builder = b
	}
	for _, h := range m.heads {
		if h >= len(b.outs) {
			return nil, fmt.Errorf("extension %s: there is no tensor %d; there are %d", modelStatement, h, len(b.outs))
		}
	}
	return m, nil
}

// parsers read the words behind the name of a statement.
var parsers = map[string]func(m *model, b *builder, words []string) error{
	modelStatement: func(m *model, _ *builder, words []string) (err error) {
		if len(words) != 2 && len(words) != 3 {
			return fmt.Errorf("it has %d parts; there must be 'VERSION' 'POSTPROCESS' and maybe HEADS", len(words))
		}
		m.version, m.postprocess = words[0], words[1]
		if len(words) == 3 {
			m.heads, err = numbers(words[2])
		}
		return err
	},
	variableStatement: func(_ *model, b *builder, words []string) error {
		if len(words) != 4 {
			return fmt.Errorf("it has %d parts; there must be 'NAME' SHAPE PRECISION STORAGE", len(words))
		}
		shape, err := numbers(words[1])
		if err != nil {
			return err
		}
		precision, err := strconv.Atoi(words[2])
		if err != nil || precision < 1 || precision > operators.MaxPrecision {
			return fmt.Errorf("%q is no precision from 1 to %d", words[2], operators.MaxPrecision)
		}
		storage, err := numbers(words[3])
		if err != nil {
			return err
		}
		if err := operators.CheckShape(shape); err != nil {
			return err
		}
		e := b.variable(words[0], operators.Tensor{Shape: tensor.Shape(shape), Precision: precision}, nil)
		return b.store(e, storage)
	},
	nodeStatement: func(_ *model, b *builder, words []string) error {
		if len(words) != 5 {
			return fmt.Errorf("it has %d parts; there must be 'NAME' 'OPERATOR' 'ATTRIBUTES' OPERANDS STORAGE", len(words))
		}
		in, err := numbers(words[3])
		if err != nil {
			return err
		}
		if slices.ContainsFunc(in, func(e int) bool { return e >= len(b.outs) }) {
			return fmt.Errorf("an operand is not one of the %d tensors of the statements before", len(b.outs))
		}
		storage, err := numbers(words[4])
		if err != nil {
			return err
		}
		e, err := b.apply(words[0], words[1], words[2], in)
		if err != nil {
			return err
		}
		return b.store(e, storage)
	},
}

// store gives the outputs of the last node, of which e is the first, their storages.
func (b *builder) store(e int, storage []int) error {
	if len(storage) != len(b.outs)-e {
		return fmt.Errorf("%d storages are given; there must be %d, one for each output", len(storage), len(b.outs)-e)
	}
	for i, id := range storage {
		b.outs[e+i].storage = id
	}
	return nil
}

// numbers reads a list of numbers that are not negative.
func numbers(text string) ([]int, error) {
	var list []int
	for item := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(item)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("%q is no number from 0", item)
		}
		list = append(list, n)
	}
	return list, nil
}

// wordsOf reads the words of a statement: texts as [graph.QuoteText] writes them, and others without spaces.
func wordsOf(text string) ([]string, error) {
	var words []string
	for text = strings.TrimLeft(text, " \t\r\n"); text != ""; text = strings.TrimLeft(text, " \t\r\n") {
		end := strings.IndexAny(text, " \t\r\n")
		if end < 0 {
			end = len(text)
		}
		word, rest := text[:end], text[end:]
		if text[0] == '\'' || text[0] == '"' {
			var ok bool
			if word, rest, ok = graph.UnquoteText(text); !ok {
				return nil, fmt.Errorf("the text that begins with %.20q has no end", text)
			}
		}
		words, text = append(words, word), rest
	}
	return words, nil
}
