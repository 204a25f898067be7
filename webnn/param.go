package webnn

// kind is what an argument or option takes.
type kind uint8

const (
	kindOperand   kind = iota
	kindOperands       // sequence<MLOperand>
	kindInt            // [EnforceRange] unsigned long
	kindLong           // [EnforceRange] long
	kindInts           // sequence<[EnforceRange] unsigned long>
	kindIntOrInts      // either of them
	kindFloat          // double, which is finite
	kindFloats         // sequence<float>
	kindNumber         // MLNumber: a float64 or an integer of any size
	kindBool
	kindEnum  // a member of an enumeration
	kindEnums // sequence of them
	kindType  // MLOperandDataType
)

// param is an argument or option of a method.
type param struct {
	name     string
	kind     kind
	fallback any          // the default; nil for a required argument or for an option without one
	enum     *enumeration // for kindEnum and kindEnums
}

// enumeration is an enumeration of the interface.
type enumeration struct {
	name  string // in the standard
	words []string
}
