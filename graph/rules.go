package graph

// Rules is what this package asks of the operator set.
type Rules interface {
	// Signature returns the parameters of an operator, and false if there is no operator of that name.
	Signature(op string) (Signature, bool)

	// Infer checks an application of an operator and returns the complete attributes, defaults included, in the order of
	// the signature, and the types of the results. Operands that are absent have the zero Type.
	Infer(op string, in []Type, attrs Attrs, blocks []*Graph) (Attrs, []Type, error)
}

// Signature lists the parameters of an operator in their order of declaration.
type Signature struct {
	Operands []OperandSig
	Attrs    []AttrSig
	Results  []ResultSig
	Blocks   []string // the names of the graphs that a node owns
	Doc      string   // a comment for the declaration; one line
	Standard bool     // NNEF has an operation of this name with these first operands and attributes
}

// OperandSig declares an operand.
type OperandSig struct {
	Name     string
	Optional bool
	Variadic bool   // takes an array of tensors; only the last operand can
	Type     string // its NNEF type: "scalar", "integer", "logical" or "?" for any
}

// AttrSig declares an attribute. A nil Default means that it must be given.
type AttrSig struct {
	Name    string
	Kind    Kind
	Default any
	Pairs   bool // a list of integers that NNEF writes as a list of pairs
}

// ResultSig declares a result.
type ResultSig struct {
	Name     string
	Variadic bool // an array of tensors, as many as the attributes say
	Type     string
}
