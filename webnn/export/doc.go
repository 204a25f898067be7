// Package export turns a graph into calls on the interface of WebNN: the inverse of package webnn. [Build] makes the calls on a
// builder; [New] records them as a session; [Model.Files] writes them as an ES module that makes the same graph on a page.
//
// A table has a row for each operator of package op and says which method it becomes. Where WebNN has a method that means
// the same, the graph that is built has the same nodes, so that running it gives the same bits. An operator that WebNN lacks
// is expressed with others, exactly where that is possible and else within a tolerance that the table states. What WebNN
// cannot say at all is refused, with a list of all nodes that it concerns.
//
// The types bfloat16, int16 and uint16 do not exist in WebNN and are refused. Logical values become uint8 with 0 and 1,
// inputs and outputs of the graph too. Inputs that no output depends on are left out.
package export
