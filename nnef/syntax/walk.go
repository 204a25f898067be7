package syntax

// Walk calls visit for the node and then, if visit returned true, for everything below it, in the order of the text
// (of a comprehension: iterators, condition, item). It accepts documents, declarations, assignments, types and
// expressions; nil nodes are skipped.
func Walk(n Node, visit func(Node) bool) {
	if n == nil || !visit(n) {
		return
	}
	switch n := n.(type) {
	case *Document:
		for i := range n.Extensions {
			Walk(&n.Extensions[i], visit)
		}
		for _, f := range n.Fragments {
			Walk(f, visit)
		}
		if n.Graph != nil {
			Walk(n.Graph, visit)
		}
	case *Fragment:
		Walk(n.Name, visit)
		walkParams(n.Params, visit)
		walkParams(n.Results, visit)
		walkBody(n.Body, visit)
	case *Graph:
		Walk(n.Name, visit)
		for _, id := range n.Params {
			Walk(id, visit)
		}
		for _, id := range n.Results {
			Walk(id, visit)
		}
		walkBody(n.Body, visit)
	case *Param:
		Walk(n.Name, visit)
		Walk(n.Type, visit)
		Walk(n.Default, visit)
	case *Assignment:
		Walk(n.Left, visit)
		Walk(n.Right, visit)
	case *ArrayType:
		Walk(n.Item, visit)
	case *TupleType:
		for _, t := range n.Items {
			Walk(t, visit)
		}
	case Expr:
		walkExpr(n, visit)
	}
}

func walkParams(list []Param, visit func(Node) bool) {
	for i := range list {
		Walk(&list[i], visit)
	}
}

func walkBody(list []Assignment, visit func(Node) bool) {
	for i := range list {
		Walk(&list[i], visit)
	}
}

func walkList(list []Expr, visit func(Node) bool) {
	for _, x := range list {
		Walk(x, visit)
	}
}

// walkExpr visits what stands below an expression.
func walkExpr(x Expr, visit func(Node) bool) {
	switch x := x.(type) {
	case *Array:
		walkList(x.Items, visit)
	case *Tuple:
		walkList(x.Items, visit)
	case *Subscript:
		Walk(x.X, visit)
		Walk(x.Index, visit)
	case *Range:
		Walk(x.X, visit)
		Walk(x.First, visit)
		Walk(x.Last, visit)
	case *Unary:
		Walk(x.X, visit)
	case *Binary:
		Walk(x.X, visit)
		Walk(x.Y, visit)
	case *Select:
		Walk(x.Then, visit)
		Walk(x.Cond, visit)
		Walk(x.Else, visit)
	case *Comprehension:
		for i := range x.Iterators {
			Walk(x.Iterators[i].Name, visit)
			Walk(x.Iterators[i].In, visit)
		}
		Walk(x.Cond, visit)
		Walk(x.Item, visit)
	case *BuiltinCall:
		Walk(x.Arg, visit)
	case *Call:
		Walk(x.Name, visit)
		for i := range x.Args {
			if x.Args[i].Name != nil {
				Walk(x.Args[i].Name, visit)
			}
			Walk(x.Args[i].Value, visit)
		}
	}
}
