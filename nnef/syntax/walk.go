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
		walkEach(n.Extensions, visit)
		walkAll(n.Fragments, visit)
		if n.Graph != nil {
			Walk(n.Graph, visit)
		}
	case *Fragment:
		Walk(n.Name, visit)
		walkEach(n.Params, visit)
		walkEach(n.Results, visit)
		walkEach(n.Body, visit)
	case *Graph:
		Walk(n.Name, visit)
		walkAll(n.Params, visit)
		walkAll(n.Results, visit)
		walkEach(n.Body, visit)
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
		walkAll(n.Items, visit)
	case Expr:
		walkExpr(n, visit)
	}
}

// walkAll visits the nodes of a list, walkEach those that stand in it by value.
func walkAll[N Node](list []N, visit func(Node) bool) {
	for _, n := range list {
		Walk(n, visit)
	}
}

func walkEach[T any, N interface {
	*T
	Node
}](list []T, visit func(Node) bool) {
	for i := range list {
		Walk(N(&list[i]), visit)
	}
}

// walkExpr visits what stands below an expression.
func walkExpr(x Expr, visit func(Node) bool) {
	switch x := x.(type) {
	case *Array:
		walkAll(x.Items, visit)
	case *Tuple:
		walkAll(x.Items, visit)
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
