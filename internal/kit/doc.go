// Package kit is what exporters have in common. An exporter is a table, which says for each operator how its target says it, and a writer of
// the target's form; the rest is here.
//
// [Start] begins a [Walk] over the nodes that results depend on, and collects what the target cannot say, so that its [Error] is complete. An
// [Exporter] asks the table node by node. What the table does not say directly is said in simpler operators, by what the definition knows of
// them (op.Def.Expand and Body), each of which is asked for in turn. While the work on a node goes on, [Refuse] ends it from however deep in
// it.
package kit
