// Package symbol reads and writes the graph of a CVM model, its symbol: a JSON object in the dialect of the original runtime. It knows
// the keys, tags and types of the text and nothing of operators; what the values mean is checked by package cvm.
//
// The dialect differs from JSON:
//   - Strings know the escapes \r \n \t \\ \" alone and may hold any byte but line ends.
//   - Numbers are integers. A plus sign and leading zeros are allowed. A negative number that should be unsigned wraps around at 2^32.
//   - The text ends at a zero byte. Objects and lists that have an item count as closed there.
//   - What follows the graph is ignored.
//   - Unknown keys are refused. Of repeated keys the last counts, but a second "attrs" of the graph keeps the lists of the first that
//     it lacks.
package symbol
