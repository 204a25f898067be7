package export

// row says what an operator of package op becomes.
type row struct {
	emit    func(c *call) []operand // adds nodes and returns what stands for the results; it may refuse
	keeps   bool                    // whether each element of a result is one of an operand
	logical bool                    // whether it takes logical operands of which only the truth is known
	numbers bool                    // whether the operands behind the first are numbers that it reads itself, which become no parameters
}

// table has the operators that CVM can express.
var table = map[string]row{
	"copy": {emit: same, keeps: true, logical: true},
	"cast": {emit: cast, logical: true},

	"neg":        {emit: unary("negative")},
	"abs":        {emit: unary("abs")},
	"relu":       {emit: unary("relu"), keeps: true},
	"bit_length": {emit: unary("cvm_precision")},
	"sqr":        {emit: square},
	"add":        {emit: binary("broadcast_add")},
	"sub":        {emit: binary("broadcast_sub")},
	"mul":        {emit: binary("broadcast_mul")},
	"div":        {emit: binary("broadcast_div")},
	"max":        {emit: binary("broadcast_max"), keeps: true},
	"min":        {emit: least, keeps: true},
	"gt":         {emit: binary("broadcast_greater")},
	"lt":         {emit: less},
	"ne":         {emit: nonZero},
	"select":     {emit: where, keeps: true, logical: true},

	"clamp":           {emit: clamp, keeps: true, numbers: true},
	"clamp_precision": {emit: clampPrecision, keeps: true},
	"rescale":         {emit: rescale, numbers: true},
	"lookup":          {emit: lookup, keeps: true},

	"sum_reduce": {emit: sum},
	"max_reduce": {emit: maximum, keeps: true},
	"min_reduce": {emit: minimum, keeps: true},

	"conv":     {emit: conv},
	"linear":   {emit: linear},
	"matmul":   {emit: matmul},
	"max_pool": {emit: maxPool, keeps: true},
	"resample": {emit: resample, keeps: true},

	"reshape":   {emit: reshape, keeps: true, logical: true},
	"squeeze":   {emit: reshape, keeps: true, logical: true},
	"unsqueeze": {emit: reshape, keeps: true, logical: true},
	"transpose": {emit: transpose, keeps: true},
	"tile":      {emit: tile, keeps: true},
	"expand":    {emit: tile, keeps: true},
	"concat":    {emit: concat, keeps: true},
	"stack":     {emit: stack, keeps: true},
	"split":     {emit: split, keeps: true},
	"unstack":   {emit: split, keeps: true},
	"slice":     {emit: slice, keeps: true},
	"pad":       {emit: pad},
	"reverse":   {emit: reverse, keeps: true},
	"gather":    {emit: gather, keeps: true},

	"valid_count":         {emit: validCount},
	"non_max_suppression": {emit: suppress},
}
