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
		walkEach(visit, n.Extensions)
		walkAll(visit, n.Fragments...)
		if n.Graph != nil {
			Walk(n.Graph, visit)
		}
	case *Fragment:
		Walk(n.Name, visit)
		walkEach(visit, n.Params)
		walkEach(visit, n.Results)
		walkEach(visit, n.Body)
	case *Graph:
		Walk(n.Name, visit)
		walkAll(visit, n.Params...)
		walkAll(visit, n.Results...)
		walkEach(visit, n.Body)
	case *Param:
		walkAll[Node](visit, n.Name, n.Type, n.Default)
	case *Assignment:
		walkAll(visit, n.Left, n.Right)
	case *ArrayType:
		Walk(n.Item, visit)
	case *TupleType:
		walkAll(visit, n.Items...)
	case *Array:
		walkAll(visit, n.Items...)
	case *Tuple:
		walkAll(visit, n.Items...)
	case *Subscript:
		walkAll(visit, n.X, n.Index)
	case *Range:
		walkAll(visit, n.X, n.First, n.Last)
	case *Unary:
		Walk(n.X, visit)
	case *Binary:
		walkAll(visit, n.X, n.Y)
	case *Select:
		walkAll(visit, n.Then, n.Cond, n.Else)
	case *Comprehension:
		for _, it := range n.Iterators {
			walkAll[Expr](visit, it.Name, it.In)
		}
		walkAll(visit, n.Cond, n.Item)
	case *BuiltinCall:
		Walk(n.Arg, visit)
	case *Call:
		Walk(n.Name, visit)
		for _, a := range n.Args {
			if a.Name != nil {
				Walk(a.Name, visit)
			}
			Walk(a.Value, visit)
		}
	}
}

// walkAll visits nodes, walkEach those that stand in a list by value.
func walkAll[N Node](visit func(Node) bool, list ...N) {
	for _, n := range list {
		Walk(n, visit)
	}
}

func walkEach[T any, N interface {
	*T
	Node
}](visit func(Node) bool, list []T) {
	for i := range list {
		Walk(N(&list[i]), visit)
	}
}
