// Written by cvm/internal/calibrate; run go generate ./cvm to measure anew.

package cvm

// costWeights are the weights by operator of package op; those of the empty name are for operators that have none of their own.
var costWeights = map[string]weight{
	"":                    {perOp: 812, perElement: 8795, perNode: 242364},
	"abs":                 {perOp: 313, perElement: 5461, perNode: 218128},
	"add":                 {perOp: 417, perElement: 7996, perNode: 242364},
	"argmax_reduce":       {perOp: 9675, perElement: 59169, perNode: 971881},
	"bit_length":          {perOp: 29, perElement: 8795, perNode: 266601},
	"cast":                {perOp: 259, perElement: 7269, perNode: 172079},
	"clamp":               {perOp: 1188, perElement: 11706, perNode: 584098},
	"clamp_precision":     {perOp: 259, perElement: 4965, perNode: 196315},
	"concat":              {perOp: 13, perElement: 177, perNode: 266601},
	"conv":                {perOp: 982, perElement: 33399, perNode: 896748},
	"div":                 {perOp: 3730, perElement: 10642, perNode: 218128},
	"gather":              {perOp: 13, perElement: 161, perNode: 266601},
	"gt":                  {perOp: 812, perElement: 8795, perNode: 218128},
	"linear":              {perOp: 1307, perElement: 11706, perNode: 220552},
	"lookup":              {perOp: 194, perElement: 4965, perNode: 218128},
	"max":                 {perOp: 26, perElement: 9675, perNode: 218128},
	"max_pool":            {perOp: 4513, perElement: 12877, perNode: 2428491},
	"max_reduce":          {perOp: 6007, perElement: 126834, perNode: 775566},
	"mul":                 {perOp: 417, perElement: 9675, perNode: 242364},
	"neg":                 {perOp: 3391, perElement: 3730, perNode: 196315},
	"non_max_suppression": {perOp: 2548, perElement: 3391, perNode: 242364},
	"relu":                {perOp: 313, perElement: 6608, perNode: 218128},
	"resample":            {perOp: 9675, perElement: 17139, perNode: 1723211},
	"rescale":             {perOp: 82, perElement: 2802, perNode: 266601},
	"select":              {perOp: 893, perElement: 17139, perNode: 608335},
	"slice":               {perOp: 100, perElement: 1080, perNode: 436256},
	"sub":                 {perOp: 35, perElement: 8795, perNode: 242364},
	"sum_reduce":          {perOp: 7269, perElement: 224694, perNode: 799802},
	"tile":                {perOp: 161, perElement: 7269, perNode: 218128},
	"transpose":           {perOp: 1740, perElement: 2316, perNode: 1},
	"valid_count":         {perOp: 2548, perElement: 100, perNode: 218128},
}
