// Written by cvm/internal/calibrate; run go generate ./cvm to measure anew.

package cvm

// costWeights are the weights by operator of package op; those of the empty name are for operators that have none of their own.
var costWeights = map[string]weight{
	"":                    {perOp: 2110, perElement: 12907, perNode: 762411},
	"abs":                 {perOp: 5474, perElement: 8014, perNode: 609929},
	"add":                 {perOp: 3739, perElement: 12907, perNode: 686170},
	"argmax_reduce":       {perOp: 30434, perElement: 78937, perNode: 2897162},
	"bit_length":          {perOp: 314, perElement: 17179, perNode: 609929},
	"cast":                {perOp: 1441, perElement: 2809, perNode: 533688},
	"clamp":               {perOp: 459, perElement: 40507, perNode: 1761169},
	"clamp_precision":     {perOp: 177, perElement: 6021, perNode: 609929},
	"concat":              {perOp: 195, perElement: 195, perNode: 838652},
	"conv":                {perOp: 1083, perElement: 127129, perNode: 7860457},
	"div":                 {perOp: 9697, perElement: 22865, perNode: 762411},
	"gather":              {perOp: 62, perElement: 345, perNode: 914893},
	"gt":                  {perOp: 285, perElement: 30434, perNode: 686170},
	"linear":              {perOp: 4113, perElement: 20787, perNode: 770035},
	"lookup":              {perOp: 6021, perElement: 10667, perNode: 609929},
	"max":                 {perOp: 1586, perElement: 30434, perNode: 686170},
	"max_pool":            {perOp: 17179, perElement: 5474, perNode: 5420742},
	"max_reduce":          {perOp: 22865, perElement: 438882, perNode: 2210992},
	"mul":                 {perOp: 1919, perElement: 30434, perNode: 686170},
	"neg":                 {perOp: 418, perElement: 15617, perNode: 609929},
	"non_max_suppression": {perOp: 8816, perElement: 0, perNode: 1296099},
	"relu":                {perOp: 2110, perElement: 2554, perNode: 533688},
	"resample":            {perOp: 27667, perElement: 49014, perNode: 5192019},
	"rescale":             {perOp: 1919, perElement: 314, perNode: 770035},
	"select":              {perOp: 4113, perElement: 49014, perNode: 1906027},
	"slice":               {perOp: 75, perElement: 2110, perNode: 1296099},
	"sub":                 {perOp: 10667, perElement: 12907, perNode: 686170},
	"sum_reduce":          {perOp: 22865, perElement: 438882, perNode: 2218616},
	"tile":                {perOp: 11733, perElement: 12907, perNode: 686170},
	"transpose":           {perOp: 1191, perElement: 7286, perNode: 1},
	"valid_count":         {perOp: 0, perElement: 8816, perNode: 686170},
}
