package limits

import "math"

// The bounds. [All] says what each is for.
const (
	TensorRank     = 16
	TensorElements = math.MaxInt / 16
	NPYHeader      = 64 << 10
	NPYElements    = 1 << 31
	NPYBytes       = 8 << 30
	NPZMembers     = 1 << 16
	NPZRatio       = 400

	FitsAlways  = 1 << 26
	FitsUnknown = 1 << 37

	FileRead     = min(4<<30, math.MaxInt/4)
	FileMappings = 1 << 14

	OpResults  = 1 << 16
	OpSlide    = min(1<<34, math.MaxInt/8)
	OpWindow   = math.MaxInt32
	OpGrid     = 1 << 30
	OpResample = math.MaxInt32
	OpBoxes    = math.MaxInt32
	OpWatch    = 1 << 18

	EngineNodes       = 1 << 16
	EngineMemory      = 4 << 30
	EngineMemoryLeast = 64 << 20
	EngineOperations  = 1 << 43
	EngineSeconds     = 600
	EngineThreads     = 4096
	KernelElements    = math.MaxInt32
	WASMThreads       = 64
	WASMSlide         = math.MaxInt32 / 8
	ModelParts        = 1 << 16
	ModelKept         = 128
	FoldNode          = 64 << 10
	FoldGrowth        = 4
	FoldTotal         = 8
	FoldFree          = 1 << 20
	FoldOperations    = 1 << 27
	InlineOperations  = 1 << 24
	TableOperations   = 1 << 22
	ExportOperations  = 1 << 34
	ExpandedBytes     = 64 << 20
	ExpandedProducts  = 1 << 24
	ExpandedTaps      = 1 << 10

	TextBytes         = 64 << 20
	TextOffset        = 1<<32 - 2
	TextTokens        = 16 << 20
	TextDepth         = 1000
	TextLiteral       = 1 << 16
	TextErrors        = 50
	EvalDepth         = 200
	EvalSteps         = 8 << 20
	EvalItems         = 8 << 20
	EvalCalls         = 128 << 10
	EvalErrors        = 50
	FlatArray         = 1 << 16
	FlatTensors       = 1 << 19
	NNEFNodes         = 1 << 18
	NNEFStatement     = 4
	NNEFSlide         = 1 << 31
	NNEFFill          = 1 << 16
	NNEFFills         = 1 << 24
	NNEFRank          = 64
	NNEFErrors        = 50
	NNEFBlocks        = 100
	TractMade         = 1 << 24
	TractRange        = 1 << 12
	TractCount        = 1 << 30
	TractSymbol       = 1<<31 - 1
	TractFolded       = 8 << 16
	TractFoldWork     = 1 << 26
	ArchiveBytes      = 1 << 30
	ArchiveMembers    = 1 << 16
	ArchiveName       = 1 << 12
	ArchiveRatio      = 200
	ArchiveFree       = 64 << 20
	TensorFileExtent  = math.MaxInt32
	SafetensorsHeader = 16 << 20

	ONNXDepth  = 100
	ONNXMemory = 2 << 30
	ONNXBytes  = math.MaxInt32
	ONNXDense  = 256 << 20

	ONNXName      = 1 << 14
	ONNXErrors    = 50
	ONNXNesting   = 200
	ONNXSteps     = 1 << 20
	ONNXWork      = 1 << 22
	ONNXList      = 1 << 17
	ONNXFolded    = 64 << 20
	ONNXAsked     = 1 << 20
	ONNXSparse    = 1 << 30
	ONNXQuantised = 1 << 10
	ONNXMade      = 1 << 24

	WebNNTensors     = 8192
	WebNNRank        = 8
	WebNNExtent      = math.MaxInt32
	WebNNTensorBytes = min(math.MaxInt32, TensorElements)
	WebNNThreads     = 4096
	WebNNMemory      = 4 << 30
	SessionCalls     = 1 << 20
	SessionDepth     = 16
	SessionText      = 256 << 20
	SessionData      = 1 << 30
	SessionWeights   = 4 << 30
	SessionBigInt    = 4096
	HostObjects      = 1 << 20
	HostPending      = 1 << 17

	VXDims          = 6
	VXTensorBytes   = 4 << 30
	VXKernelName    = 255
	VXReferenceName = 63
	VXLogMessage    = 1023
	VXParameters    = 256
	VXKernels       = 4096
	VXLibraries     = 255
	VXWindow        = 1 << 28
	VXItems         = 1 << 16
	VXSlots         = 1 << 16
	VXStruct        = 1 << 20
	VXLocalData     = 1 << 30
	VXEvaluated     = 64 << 20
	VXMade          = 128 << 20
	VXZeros         = 255
	VXSigns         = 100

	CVMRank       = 6
	CVMExtent     = 1 << 24
	CVMElements   = 1 << 30
	CVMAttr       = 4096
	CVMBase       = 1 << 30
	CVMOperations = 1 << 40
	CVMTraffic    = 1 << 40
	CVMStorage    = 1 << 32
	CVMMemory     = 4 * CVMStorage
	CVMSymbol     = 256 << 20
	CVMParams     = math.MaxInt32
	CVMStream     = 64 << 20
	CVMHead       = 4 << 10
	CVMUnused     = 1 << 26

	ManifestBytes  = 4 << 20
	ManifestDepth  = 16
	ManifestErrors = 20
	ManifestNames  = 1024
	ManifestName   = 256
	ManifestLabels = 1 << 20
	ManifestSide   = 1 << 14
	ManifestPixels = 1 << 24
	ManifestRate   = 1 << 20
	ManifestWindow = 1 << 24
	ManifestPriors = 1 << 22
	ManifestMaps   = 64

	BulkLine   = 64 << 20
	BulkShards = 1 << 16

	MediaFile     = 256 << 20
	MediaPixels   = 64 << 20
	MediaSide     = 1<<16 - 1
	MediaScanned  = 1<<31 - 1
	MediaPlot     = 1 << 14
	MediaChannels = 64
	MediaRate     = 1 << 20
	MediaSamples  = 1 << 28

	ServeBody       = 64 << 20
	ServeHeld       = 1 << 30
	ServeTensors    = 1024
	ServeParameters = 128
	ServeDepth      = 64
	ServeGrowth     = 16
	ServeAccept     = 60
	ServeQueue      = 256
	ServeShapes     = 16
	ServeSequences  = 256
	ServeStates     = 1 << 30
	ServePEM        = 1 << 20

	DrawPoints = 1 << 18

	DiffSources = 16
	DiffCells   = 1 << 14

	ServeHeader     = 32 << 10
	ServeStreams    = 250
	ServeWindow     = 1 << 20
	ServeLinger     = 256 << 20
	ServeFrames     = 10_000
	ServeAnswer     = 16 << 20
	ServeNumbers    = 1 << 20
	RepositoryFiles = 1 << 12
	RepositoryDepth = 16
)

// All is the table of the bounds.
var All = []Row{
	{"tensor.rank", TensorRank, "dimensions", "The dimensions of a tensor, so that positions are arrays of fixed size.",
		"an error of Shape.Check", "tensor.TestShapeLimits"},
	{"tensor.elements", TensorElements, "elements", "The product of a shape's extents, so that sizes in bytes fit an int.",
		"an error of Shape.Check", "tensor.TestShapeLimits"},
	{"tensor.memory.free", FitsAlways, "bytes", "A new tensor, however little memory the machine has left.",
		"it must fit what is left", "tensor.TestMemoryLimit"},
	{"tensor.memory.unknown", FitsUnknown, "bytes", "A new tensor where the machine does not say what is left: Go ends a process that asks for more than there is.",
		"an error of New that wraps ErrLimit", "tensor.TestMemoryLimit"},
	{"tensor.npy.header", NPYHeader, "bytes", "The text before the elements of an array, of declared length.",
		"tensor.FormatError with ErrLimit", "tensor.TestDefaultLimits"},
	{"tensor.npy.elements", NPYElements, "elements", "One array of a file; an empty one can declare any number.",
		"tensor.FormatError with ErrLimit", "tensor.TestDefaultLimits"},
	{"tensor.npy.bytes", NPYBytes, "bytes", "The elements of all arrays of a file, which may be compressed.",
		"tensor.FormatError with ErrLimit", "tensor.TestDefaultLimits"},
	{"tensor.npz.members", NPZMembers, "arrays", "The arrays of an archive.",
		"tensor.FormatError with ErrLimit", "tensor.TestDefaultLimits"},

	{"tensor.npz.ratio", NPZRatio, "times", "The unpacked size of an array over its packed size, beyond the first 64 MiB.",
		"tensor.FormatError with ErrLimit", "tensor.TestNPZRatio"},

	{"file.read", FileRead, "bytes", "A file of a model that is read into memory because it is small or cannot be mapped, and all such files of a folder.",
		"an error of mapfile.Read", "internal/mapfile.TestRead"},
	{"file.mappings", FileMappings, "mappings", "The files that are mapped at a time: systems have a limit, beyond which Go itself gets no memory.",
		"further files are read", "internal/mapfile.TestMappings"},

	{"op.results", OpResults, "results", "The results of one node: an empty tensor can have any extent.",
		"op.Error", "op.TestAttributeLimits"},
	{"op.slide", OpSlide, "elements", "Padding, stride and dilation of a window, so that positions fit an int.",
		"op.Error", "op.TestAttributeLimits"},
	{"op.window", OpWindow, "positions", "The positions of a pooling or normalising window, so that indices fit int32 and counts are exact.",
		"op.Error", "op.TestAttributeLimits"},
	{"op.grid", OpGrid, "elements", "The extents between which is interpolated, so that positions fit an int.",
		"op.Error", "op.TestAttributeLimits"},
	{"op.resample", OpResample, "elements", "The extents between which resample interpolates; it counts in 64 bits.",
		"op.Error", "op.TestAttributeLimits"},
	{"op.boxes", OpBoxes, "boxes", "The boxes of a batch, numbered by int32.",
		"op.Error", "op.TestAttributeLimits"},
	{"op.watch", OpWatch, "operations", "The work of a kernel between two questions whether anybody waits for its results: less than a millisecond.",
		"the kernel asks, and may return", "op.TestKernelsStop"},

	{"engine.nodes", EngineNodes, "nodes", "The graph that is compiled.",
		"engine.LimitError", "engine.TestLimits"},
	{"engine.memory.least", EngineMemoryLeast, "bytes", "What a loaded model may take, however little memory is left.",
		"three quarters of what is left hold", ".TestMemoryFollowsTheMachine"},
	{"engine.memory", EngineMemory, "bytes", "What a session allocates, with the constants that compiling computes. Where the machine says what is left, a loaded model may take three quarters of that.",
		"engine.LimitError", "engine.TestLimits"},
	{"engine.operations", EngineOperations, "operations", "The multiply-adds and other operations of a run; few nodes can have any number.",
		"engine.LimitError", "engine.TestLimits"},
	{"engine.time", EngineSeconds, "seconds", "A run.",
		"engine.LimitError", "engine.TestTimeLimit"},
	{"engine.threads", EngineThreads, "goroutines", "The workers of a program; no machine has as many processors.",
		"an error of Compile", "engine.TestThreadLimit"},
	{"engine.kernel", KernelElements, "elements", "A tensor for which there are fast kernels, so that compiling takes no longer than a moment, whatever extents are declared.",
		"the reference computes the node", "engine.TestPlansAreBounded"},
	{"wasm.threads", WASMThreads, "threads", "The threads of a module, each of which has a stack and working memory in it.",
		"an error of Compile", "engine/wasm.TestMostThreads"},
	{"wasm.slide", WASMSlide, "elements", "Padding, stride and dilation of a window in a module, which are op.slide where an int has 32 bits.",
		"engine.NodeError", "engine/wasm.TestFarWindows"},
	{"model.parts", ModelParts, "parts", "The parts that one run passes through, such as one for each turn of a loop whose values grow.",
		"engine.LimitError", "model.TestPartsLimit"},
	{"model.kept", ModelKept, "parts", "The programs of later parts kept for each first one, if their constants take less than a session may.",
		"those unused for the longest time are compiled again", "model.TestPartsKept"},
	{"engine.fold.node", FoldNode, "bytes", "The results of one folded node.",
		"the node is computed by each run", "engine/internal/pass.TestFoldLimits"},
	{"engine.fold.growth", FoldGrowth, "times", "A larger folded result over its operands: widened or dequantised weights.",
		"the node is computed by each run", "engine/internal/pass.TestFoldLimits"},
	{"engine.fold.total", FoldTotal, "times", "All folded results over the graph's constants.",
		"the node is computed by each run", "engine/internal/pass.TestFoldLimits"},
	{"engine.fold.free", FoldFree, "bytes", "What all folded results may take beyond that.",
		"the node is computed by each run", "engine/internal/pass.TestFoldLimits"},
	{"engine.fold.operations", FoldOperations, "operations", "The multiply-adds and other operations of all folded nodes.",
		"the node is computed by each run", "engine/internal/pass.TestFoldLimits"},
	{"engine.inline.operations", InlineOperations, "operations", "The work to find conditions and numbers of turns of nodes with blocks.",
		"the node is computed by each run", "engine/internal/pass.TestFoldLimits"},
	{"engine.tables.operations", TableOperations, "operations", "The work to tabulate chains of operators on 8-bit integers.",
		"the chain is computed by each run", "engine/internal/pass.TestTabulateIsBounded"},
	{"export.operations", ExportOperations, "operations", "The work to compute all constants of an export to OpenVX, or one of an export to WebNN.",
		"the operator is refused", "openvx/export.TestLimits"},
	{"export.expanded.bytes", ExpandedBytes, "bytes", "A constant made to express an operator by simpler ones.",
		"the operator is refused", "webnn/export.TestLimits"},
	{"export.expanded.products", ExpandedProducts, "products", "The products of integers laid out in memory where matrices are not multiplied.",
		"the operator is refused", "webnn/export.TestLimits"},
	{"export.expanded.taps", ExpandedTaps, "positions", "The window positions written out one by one.",
		"the operator is refused, or has no function for other runtimes", "webnn/export.TestLimits"},

	{"nnef.text.bytes", TextBytes, "bytes", "A text.",
		"diagnostic NNEF0211", "nnef/syntax.TestLimitsAreReached"},
	{"nnef.text.offset", TextOffset, "bytes", "A text, whatever the caller allows: offsets have 32 bits.",
		"diagnostic NNEF0211", "nnef/syntax.TestLimitsAreReached"},
	{"nnef.text.tokens", TextTokens, "tokens", "A text.",
		"diagnostic NNEF0211", "nnef/syntax.TestLimitsAreReached"},
	{"nnef.text.depth", TextDepth, "levels", "Nested expressions, types and patterns, and the height of their trees, which are walked recursively.",
		"diagnostic NNEF0210", "nnef/syntax.TestLimitsAreReached"},
	{"nnef.text.literal", TextLiteral, "bytes", "An identifier or literal.",
		"diagnostic NNEF0106", "nnef/syntax.TestLimitsAreReached"},
	{"nnef.text.errors", TextErrors, "errors", "The mistakes that are reported.",
		"one diagnostic says that there are more", "nnef/syntax.TestLimitsAreReached"},
	{"nnef.eval.depth", EvalDepth, "levels", "Nested invocations of fragments, which may invoke themselves.",
		"diagnostic NNEF1005", "internal/nnef/eval.TestLimitsAreReached"},
	{"nnef.eval.steps", EvalSteps, "steps", "Expressions evaluated, parameters and names bound: loops in loops.",
		"diagnostic NNEF1005", "internal/nnef/eval.TestLimitsAreReached"},
	{"nnef.eval.items", EvalItems, "items", "Items of arrays and bytes of strings that expressions make or compare.",
		"diagnostic NNEF1005", "internal/nnef/eval.TestLimitsAreReached"},
	{"nnef.eval.calls", EvalCalls, "operations", "Atomic operations applied, beyond the statements of a graph.",
		"diagnostic NNEF1005", "internal/nnef/eval.TestLimitsAreReached"},
	{"nnef.eval.errors", EvalErrors, "errors", "The mistakes that are reported.",
		"one diagnostic says that there are more", "internal/nnef/eval.TestLimitsAreReached"},
	{"nnef.flat.array", FlatArray, "tensors", "The tensors of one operation: a number or an extent can ask for any.",
		"diagnostic NNEF1005, or of the attribute", "internal/nnef/flat.TestLimits"},
	{"nnef.flat.tensors", FlatTensors, "tensors", "A flat graph, beyond its statements.",
		"diagnostic NNEF1005", "internal/nnef/flat.TestLimits"},
	{"nnef.nodes", NNEFNodes, "nodes", "A graph, beyond those of its statements: add_n makes one for each operand.",
		"diagnostic NNEF1005", "nnef.TestNodesAreBounded"},
	{"nnef.nodes.statement", NNEFStatement, "nodes", "What each statement adds to that bound.",
		"diagnostic NNEF1005", "nnef.TestNodesAreBounded"},
	{"nnef.slide", NNEFSlide, "elements", "The numbers of a window, so that products of two fit.",
		"diagnostic of the attribute", "nnef.TestSlidesAreBounded"},
	{"nnef.fill", NNEFFill, "elements", "A constant whose one value is repeated in memory.",
		"the value is expanded by each run", "nnef.TestFillsAreBounded"},
	{"nnef.fills", NNEFFills, "elements", "All such constants of a document, which a line of text could multiply.",
		"the value is expanded by each run", "nnef.TestFillsAreBounded"},
	{"nnef.rank", NNEFRank, "dimensions", "The dimensions that attributes of a provisional document ask for.",
		"the operand stays, and does not fit", "nnef.TestRanksAreBounded"},
	{"nnef.quant.errors", NNEFErrors, "errors", "The mistakes of a quantization file that are reported.",
		"one diagnostic says that there are more", "internal/nnef/quant.TestManyMistakes"},
	{"nnef.blocks", NNEFBlocks, "blocks", "Nested blocks: a fragment may name itself.",
		"diagnostic NNEF1005", "nnef.TestBlocksAreBounded"},
	{"nnef.tract.constants", TractMade, "elements", "The constants made of arguments and operations of a document.",
		"diagnostic NNEF1005", "internal/nnef/tract.TestTractConstantsAreBounded"},
	{"nnef.tract.range", TractRange, "elements", "A range that becomes a constant.",
		"they are computed by each run", "nnef.TestTractLimits"},
	{"nnef.tract.count", TractCount, "elements", "The classes, the range, and the elements of a gate that an operation asks for.",
		"diagnostic of the attribute", "nnef.TestTractLimits"},
	{"nnef.tract.symbol", TractSymbol, "magnitude", "Coefficients and values of symbols, so that products fit 64 bits.",
		"the symbol stays open, the assertion unchecked", "nnef.TestTractSymbolsAreBounded"},
	{"nnef.tract.folded", TractFolded, "bytes", "A tensor computed because an extent or an attribute depends on it.",
		"the value is not known before the model runs", "nnef.TestTractFoldIsBounded"},
	{"nnef.tract.foldWork", TractFoldWork, "operations", "The work for extents and attributes of a document, and the bytes of all results.",
		"the value is not known before the model runs", "internal/nnef/tract.TestTractWorkIsBounded"},
	{"nnef.archive.bytes", ArchiveBytes, "bytes", "All members of an archive, unpacked.",
		"an error of container.ReadArchive", "internal/nnef/container.TestArchiveLimits"},
	{"nnef.archive.name", ArchiveName, "bytes", "The name of a member, which extended headers can make any length; names also count as bytes of members.",
		"an error of container.ReadArchive", "internal/nnef/container.TestArchiveNames"},
	{"nnef.archive.members", ArchiveMembers, "members", "An archive.",
		"an error of container.ReadArchive", "internal/nnef/container.TestArchiveLimits"},
	{"nnef.archive.ratio", ArchiveRatio, "times", "The unpacked size of a gzipped archive over its packed size.",
		"an error of container.ReadArchive", "internal/nnef/container.TestArchiveLimits"},
	{"nnef.archive.free", ArchiveFree, "bytes", "What may be unpacked whatever the ratio.",
		"the ratio holds", "internal/nnef/container.TestArchiveLimits"},
	{"nnef.tensorfile.extent", TensorFileExtent, "elements", "An extent in a tensor file, a field of 32 bits.",
		"an error of tensorfile.Parse", "internal/nnef/tensorfile.TestExtentLimit"},
	{"nnef.safetensors.header", SafetensorsHeader, "bytes", "The header of a file.",
		"an error of safetensors.Open", "internal/nnef/safetensors.TestHeaderLimit"},

	{"onnx.depth", ONNXDepth, "messages", "Nested messages, as in protobuf's own readers.",
		"proto.Error with ErrLimit", "onnx/proto.TestLimitsAreReached"},
	{"onnx.memory", ONNXMemory, "bytes", "What the messages of a file take beyond its bytes: two bytes can be a message.",
		"proto.Error with ErrLimit", "onnx/proto.TestLimitsAreReached"},
	{"onnx.bytes", ONNXBytes, "bytes", "A model that is written to one file: protobuf counts in 31 bits.",
		"an error of WriteTo and Encode", "onnx/proto.TestLimitsAreReached"},
	{"onnx.name", ONNXName, "bytes", "A name: errors, and the names of what functions and loops make, repeat parts of it.",
		"onnx.Error with ErrLimit", "onnx.TestImportLimits"},
	{"onnx.errors", ONNXErrors, "errors", "The mistakes that File.Check reports.",
		"a last one says that there are more", "onnx.TestImportLimits"},
	{"onnx.nesting", ONNXNesting, "levels", "Nested graphs and calls of functions, which are followed by recursion.",
		"onnx.Error with ErrLimit", "onnx.TestImportLimits"},
	{"onnx.steps", ONNXSteps, "steps", "The nodes that are translated and made, also for functions, unrolled loops and failed attempts; a long list counts as several.",
		"onnx.Error with ErrLimit", "onnx.TestImportLimits"},
	{"onnx.work", ONNXWork, "steps", "The steps of all parts of a model in parts, and of their waiting nodes.",
		"onnx.Error with ErrLimit", "onnx.TestWorkLimit"},
	{"onnx.list", ONNXList, "numbers", "A tensor that is a list of axes, extents and the like; the pieces of a split.",
		"onnx.Error with ErrLimit", "onnx.TestImportLimits"},
	{"onnx.sparse", ONNXSparse, "bytes", "All sparse tensors of a model with their zeros, before the last one.",
		"onnx.Error with ErrLimit", "onnx.TestImportLimits"},
	{"onnx.folded", ONNXFolded, "bytes", "What rows must know when a graph is made, computed from constants.",
		"the elements are asked for by the run", "onnx.TestImportLimits"},
	{"onnx.asked", ONNXAsked, "bytes", "The elements that decide how a model in parts goes on, kept as the key of what follows.",
		"onnx.Error", "onnx.TestImportLimits"},
	{"onnx.quantised", ONNXQuantised, "nodes", "The nodes in front of a QuantizeLinear that are searched for codes.",
		"the quantization is of floats", "onnx.TestQuantisedLimit"},
	{"onnx.export.made", ONNXMade, "elements", "A constant made by an export.",
		"the node has no function for other runtimes, or is refused", "onnx/export.TestLimits"},
	{"onnx.dense", ONNXDense, "bytes", "A sparse tensor with its zeros: a few bytes can declare any shape.",
		"an error of SparseTensor.Value", "onnx/proto.TestSparseTensor"},

	{"webnn.tensors", WebNNTensors, "operands", "The inputs of concat and the results of split.",
		"TypeError", "webnn.TestLimitsAreReached"},
	{"webnn.rank", WebNNRank, "dimensions", "An operand.",
		"TypeError", "webnn.TestLimitsAreReached"},
	{"webnn.extent", WebNNExtent, "elements", "A dimension, and the elements of an operand.",
		"TypeError", "webnn.TestLimitsAreReached"},
	{"webnn.tensorBytes", WebNNTensorBytes, "bytes", "A tensor or an operand.",
		"TypeError", "webnn.TestLimitsAreReached"},
	{"webnn.threads", WebNNThreads, "goroutines", "The workers of a context; no machine has as many processors.",
		"TypeError", "webnn.TestLimitsAreReached"},
	{"webnn.memory", WebNNMemory, "bytes", "What contexts that share a Memory hold; as much again may be on the way in, and out.",
		"an error of the operation", "webnn.TestMemoryLimit"},
	{"webnn.session.calls", SessionCalls, "calls", "A document.",
		"session.SyntaxError", "webnn/session.TestLimits"},
	{"webnn.session.depth", SessionDepth, "levels", "Nested values of a document.",
		"session.SyntaxError", "webnn/session.TestLimits"},
	{"webnn.session.text", SessionText, "bytes", "The JSON of a document.",
		"session.SyntaxError", "webnn/session.TestLimits"},
	{"webnn.session.data", SessionData, "bytes", "The values of a document, and its buffers outside of the weights: a few words can fill any buffer.",
		"session.SyntaxError", "webnn/session.TestLimits"},
	{"webnn.session.weights", SessionWeights, "bytes", "What is read of the file of weights.",
		"session.SyntaxError", "webnn/session.TestLimits"},
	{"webnn.session.bigint", SessionBigInt, "digits", "A BigInt: reading takes time with the square of its length.",
		"session.SyntaxError", "webnn/session.TestLimits"},
	{"webnn.host.objects", HostObjects, "objects", "The objects of a host that live at a time.",
		"UnknownError", "webnn/session.TestHostLimitsAreReached"},
	{"webnn.host.pending", HostPending, "calls", "The calls that wait for their replies.",
		"UnknownError", "webnn/session.TestHostLimitsAreReached"},

	{"openvx.dims", VXDims, "dimensions", "A tensor.",
		"openvx.ErrorInvalidDimension", "openvx.TestLimitsAreReached"},
	{"openvx.tensorBytes", VXTensorBytes, "bytes", "A tensor.",
		"openvx.ErrorNoMemory", "openvx.TestLimitsAreReached"},
	{"openvx.name.kernel", VXKernelName, "bytes", "The name of a kernel.",
		"openvx.ErrorInvalidParameters", "openvx.TestLimitsAreReached"},
	{"openvx.name.reference", VXReferenceName, "bytes", "The name of a reference.",
		"openvx.ErrorInvalidParameters", "openvx.TestLimitsAreReached"},
	{"openvx.message", VXLogMessage, "bytes", "A message of the log.",
		"it is cut", "openvx.TestLimitsAreReached"},
	{"openvx.parameters", VXParameters, "parameters", "A kernel.",
		"openvx.ErrorInvalidParameters", "openvx.TestLimitsAreReached"},
	{"openvx.kernels", VXKernels, "kernels", "Kernels of the application without a library; a library has as many.",
		"openvx.ErrorNoResources", "openvx.TestLimitsAreReached"},
	{"openvx.libraries", VXLibraries, "libraries", "Libraries of kernels.",
		"openvx.ErrorNoResources", "openvx.TestLimitsAreReached"},
	{"openvx.window", VXWindow, "elements", "The numbers of a window, with padding and dilation, so that positions can be computed.",
		"openvx.ErrorInvalidValue", "openvx.TestLimitsAreReached"},
	{"openvx.items", VXItems, "objects", "The objects that one call makes.",
		"openvx.ErrorInvalidParameters", "openvx.TestLimitsAreReached"},
	{"openvx.slots", VXSlots, "objects", "A delay.",
		"openvx.ErrorInvalidParameters", "openvx.TestLimitsAreReached"},
	{"openvx.struct", VXStruct, "bytes", "A structure of the application.",
		"openvx.ErrorInvalidParameters", "openvx.TestLimitsAreReached"},
	{"openvx.localData", VXLocalData, "bytes", "The memory that a node asks for its kernel.",
		"openvx.ErrorInvalidParameters", "openvx.TestLimitsAreReached"},
	{"openvx.export.evaluated", VXEvaluated, "bytes", "A constant made by an export, unless its operands have half as many.",
		"the operator is refused", "openvx/export.TestLimits"},
	{"openvx.export.made", VXMade, "bytes", "All constants of an export, beyond eight times those of the model: lines of text could ask for any number.",
		"the operator is refused", "openvx/export.TestLimits"},
	{"openvx.export.zeros", VXZeros, "weights", "The zeros laid around a filter along a dimension.",
		"the operator is refused", "openvx/export.TestLimits"},
	{"openvx.export.signs", VXSigns, "operators", "How far back an export looks whether a value can be negative.",
		"it is taken to be", "openvx/export.TestLimits"},

	{"cvm.rank", CVMRank, "dimensions", "A tensor, by the standard.",
		"cvm.Error, logic", "internal/cvm/operators.TestLimitsAreReached"},
	{"cvm.extent", CVMExtent, "elements", "A dimension, by the standard.",
		"cvm.Error, logic", "internal/cvm/operators.TestLimitsAreReached"},
	{"cvm.elements", CVMElements, "elements", "A tensor, by the standard.",
		"cvm.Error, logic", "internal/cvm/operators.TestLimitsAreReached"},
	{"cvm.attribute", CVMAttr, "elements", "Paddings, strides, dilations and the like, by the standard.",
		"cvm.Error, logic", "internal/cvm/operators.TestLimitsAreReached"},
	{"cvm.gas.base", CVMBase, "operations", "The gas of one operator for each element of its output.",
		"cvm.Error, logic", "cvm.TestGasLimits"},
	{"cvm.gas.operations", CVMOperations, "operations", "The gas of all nodes.",
		"cvm.Error, logic", "cvm.TestGasLimits"},
	{"cvm.gas.traffic", CVMTraffic, "gas", "The gas of all elements that nodes write.",
		"cvm.Error, logic", "cvm.TestGasLimits"},
	{"cvm.storage", CVMStorage, "bytes", "The storage plan.",
		"cvm.Error, logic", "cvm.TestStorageLimit"},
	{"cvm.memory", CVMMemory, "bytes", "A run: the engine keeps the input apart and works in place less often than the plan.",
		"cvm.Error, runtime", "cvm.TestMemoryLimit"},
	{"cvm.file.symbol", CVMSymbol, "bytes", "The file of a graph.",
		"cvm.Error, runtime", "cvm.TestReadTooLargeGraph"},
	{"cvm.file.params", CVMParams, "bytes", "The file of parameters, by the original's interface.",
		"cvm.Error, runtime", "cvm.TestReadTooLarge"},
	{"cvm.file.stream", CVMStream, "bytes", "A pipe or device, whose length is unknown.",
		"cvm.Error, runtime", "cvm.TestReadStream"},
	{"cvm.file.head", CVMHead, "bytes", "What is read of a JSON file to see whether it is a graph.",
		"it is none", "cvm.TestHeadLimit"},
	{"cvm.export.unused", CVMUnused, "elements", "Parameters that no result depends on, and the graph does not have.",
		"an error of the export", "cvm/export.TestUnusedLimit"},

	{"manifest.bytes", ManifestBytes, "bytes", "A manifest, and a file of labels.",
		"manifest.Error", "manifest.TestLimits"},
	{"manifest.depth", ManifestDepth, "levels", "Nested objects and lists.",
		"manifest.Error", "manifest.TestLimits"},
	{"manifest.errors", ManifestErrors, "errors", "The mistakes that are reported.",
		"the others are not", "manifest.TestLimits"},
	{"manifest.names", ManifestNames, "names", "The inputs, and the outputs.",
		"manifest.Error", "manifest.TestLimits"},
	{"manifest.name", ManifestName, "bytes", "A name or label; four times as many in a title or the path of a file.",
		"manifest.Error", "manifest.TestLimits"},
	{"manifest.labels", ManifestLabels, "labels", "The labels of an output.",
		"manifest.Error", "manifest.TestLimits"},
	{"manifest.side", ManifestSide, "pixels", "A side of a picture, or of a feature map.",
		"manifest.Error", "manifest.TestLimits"},
	{"manifest.pixels", ManifestPixels, "pixels", "The picture that is made for an input.",
		"manifest.Error", "manifest.TestPixelLimit"},
	{"manifest.rate", ManifestRate, "a second", "The samples of a sound.",
		"manifest.Error", "manifest.TestLimits"},
	{"manifest.window", ManifestWindow, "samples", "The window of a sound.",
		"manifest.Error", "manifest.TestLimits"},
	{"manifest.priors", ManifestPriors, "boxes", "The boxes of a detector: a few numbers can make any number.",
		"manifest.Error", "manifest.TestLimits"},
	{"manifest.maps", ManifestMaps, "maps", "The feature maps of a detector, and the boxes of a map.",
		"manifest.Error", "manifest.TestLimits"},

	{"media.file", MediaFile, "bytes", "The file of a picture or a sound.",
		"an error of OpenPicture or OpenSound", "media.TestFileLimit"},
	{"media.pixels", MediaPixels, "pixels", "A picture: few bytes can declare any size.",
		"an error of DecodePicture", "media.TestPixelLimit"},
	{"media.side", MediaSide, "pixels", "A side of a picture, as in a JPEG: rows take time, too.",
		"an error of DecodePicture", "media.TestSideLimit"},
	{"media.scanned", MediaScanned, "pixels", "All scans of a JPEG: a few bytes can scan the whole picture again.",
		"an error of DecodePicture", "media.TestScanLimit"},
	{"media.plot", MediaPlot, "pixels", "A side of a plot.",
		"an error of DrawTrack", "media.TestPlotLimit"},
	{"media.channels", MediaChannels, "channels", "A sound.",
		"an error of DecodeWAV", "media.TestWAVLimits"},
	{"media.rate", MediaRate, "a second", "The samples of a sound.",
		"an error of DecodeWAV", "media.TestWAVLimits"},
	{"media.samples", MediaSamples, "samples", "A sound at another rate, which can be many times its own.",
		"an error of Resample", "media.TestResampleLimits"},

	{"bulk.line", BulkLine, "bytes", "A line of a list of inputs, or a row of a table.",
		"an error of Job.Run", "bulk.TestLineLimit"},
	{"bulk.shards", BulkShards, "shards", "The parts that a list of inputs is divided into.",
		"an error of New", "bulk.TestOptions"},

	{"serve.body", ServeBody, "bytes", "The body of a request, as it comes and as it is when it is decompressed.",
		"413, RESOURCE_EXHAUSTED; an option in place of it", "serve/internal/rest.TestBodyLimits"},
	{"serve.held", ServeHeld, "bytes", "The bodies of all requests that are being read or answered, the tensors that they become, the pixels of pictures and the samples of sounds, and answers until they are written.",
		"429, UNAVAILABLE, or 413, RESOURCE_EXHAUSTED for one that takes more alone; an option in place of it", "serve/internal/batch.TestBudget"},
	{"serve.tensors", ServeTensors, "tensors", "The inputs of a request, and the outputs that it asks for.",
		"400, INVALID_ARGUMENT", "serve/internal/rest.TestRequestLimits"},
	{"serve.parameters", ServeParameters, "parameters", "Of a request or of one of its tensors.",
		"400, INVALID_ARGUMENT", "serve/internal/rest.TestRequestLimits"},
	{"serve.depth", ServeDepth, "values", "The nesting of JSON that a request may have although nobody reads it, and of messages of gRPC.",
		"400, INVALID_ARGUMENT", "serve/internal/rest.TestRequestLimits"},
	{"serve.growth", ServeGrowth, "times", "The bytes of a message of gRPC that it takes in memory beside them: two bytes can be a message, one a number of eight.",
		"INVALID_ARGUMENT", "serve/internal/rpc.TestGrowth"},
	{"serve.accept", ServeAccept, "seconds", "The time that a client takes to accept a message of a stream.",
		"the call is reset; rpc.Options.Idle in place of it", "serve/internal/grpc.TestSlowClient"},
	{"serve.queue", ServeQueue, "requests", "What waits for one model.",
		"429, UNAVAILABLE; an option in place of it", "serve/internal/batch.TestQueueLimit"},
	{"serve.shapes", ServeShapes, "shapes", "Shapes of inputs for which there are programs of one model: each is compiled.",
		"the ones not used for longest are forgotten; 429, UNAVAILABLE while all have requests", "serve/internal/batch.TestShapesLimit"},
	{"serve.sequences", ServeSequences, "sequences", "Those of a model that were not idle for too long.",
		"429, UNAVAILABLE; an option in place of it", "serve/internal/batch.TestSequencesLimit"},
	{"serve.states", ServeStates, "bytes", "The states of all sequences of a model.",
		"429, UNAVAILABLE; an option in place of it", "serve/internal/batch.TestSequencesLimit"},
	{"serve.pem", ServePEM, "bytes", "A file of certificates, or of a key.",
		"an error of TLS", "serve.TestPEMLimit"},

	{"draw.points", DrawPoints, "layers", "The layers that the edges of a drawn graph pass: a few edges can pass any number.",
		"an error of layout.Place", "internal/layout.TestPoints"},

	{"diff.sources", DiffSources, "values", "What is looked at to describe an operator that only one side has.",
		"the others are left out", "internal/diff.TestSourcesAreBounded"},
	{"diff.cells", DiffCells, "cells", "The table by which lines between two anchors are compared.",
		"they count as different", "cmd/concord.TestDiffCells"},

	{"serve.header", ServeHeader, "bytes", "The header of a request, about.",
		"status 431; a connection of HTTP/2 ends of one field of more", "serve.TestHeaderLimit"},
	{"serve.streams", ServeStreams, "streams", "The requests of a connection of HTTP/2 that run at the same time, with those that its client has given up.",
		"the stream is refused", "serve/internal/h2.TestStreamsLimit"},
	{"serve.window", ServeWindow, "bytes", "What a connection of HTTP/2 has sent and nobody has read.",
		"the connection ends: FLOW_CONTROL_ERROR", "serve/internal/h2.TestWindowLimit"},
	{"serve.linger", ServeLinger, "bytes", "What a client may still send of a request that was answered without it, so that it sees the answer; it is read and dropped.",
		"the connection is closed; of HTTP/2, the stream is reset", "serve.TestLinger"},
	{"serve.frames", ServeFrames, "frames", "Those of HTTP/2 in a minute that bring their sender nothing: pings, settings, empty data, what nobody knows.",
		"the connection ends: ENHANCE_YOUR_CALM", "serve/internal/h2.TestFramesLimit"},
	{"serve.answer", ServeAnswer, "bytes", "A picture or a sound that a server is asked about, of which 16 are read or decoded at the same time.",
		"status 413", "serve.TestAnswerLimits"},
	{"serve.numbers", ServeNumbers, "bytes", "Numbers in JSON that a server is asked about, which take many times as much.",
		"status 413", "serve.TestAnswerLimits"},
	{"repository.files", RepositoryFiles, "files", "A version of a model in a repository: links can lead in circles.",
		"the version is not loaded, and the index says why", "serve/internal/repository.TestLimits"},
	{"repository.depth", RepositoryDepth, "folders", "Folders in folders of a version.",
		"the version is not loaded, and the index says why", "serve/internal/repository.TestLimits"},
}
