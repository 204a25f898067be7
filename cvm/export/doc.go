// Package export turns models of CVM into graphs with every tensor an int32, which package nnef writes as text, and graphs into models
// of CVM: [ToGraph] and [FromGraph].
//
// What a graph cannot say stands in extension statements, one for each variable and node of the model in their order:
//
//	extension concord_cvm 'VERSION' 'POSTPROCESS' HEADS;
//	extension concord_cvm_variable 'NAME' SHAPE PRECISION STORAGE;
//	extension concord_cvm_node 'NAME' 'OPERATOR' 'ATTRIBUTES' OPERANDS STORAGE;
//
// Lists of numbers have commas between them and no spaces. HEADS and OPERANDS are numbers of tensors, the outputs of the variables and
// nodes as the statements list them, from 0; STORAGE has a storage id for each output. ATTRIBUTES is a JSON object of strings.
//
// The statements count as long as the graph is what they mean, which is found by lowering them again. A graph that was changed, or that
// comes from elsewhere, is converted by a table, which says for each operator of package op which operators of CVM it becomes; precisions
// are inferred and storage is planned anew. What CVM cannot express is refused, with a list of all nodes that it concerns.
package export
