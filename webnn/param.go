package webnn

import "reflect"

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
	fallback any         // the default; nil for a required argument or for an option without one
	enum     enumeration // for kindEnum and kindEnums
}

// Constructors of parameters, by kind.

func operand(name string) param  { return param{name: name, kind: kindOperand} }
func operands(name string) param { return param{name: name, kind: kindOperands} }
func integer(name string, fallback any) param {
	return param{name: name, kind: kindInt, fallback: fallback}
}
func signed(name string, fallback any) param {
	return param{name: name, kind: kindLong, fallback: fallback}
}
func integers(name string) param  { return param{name: name, kind: kindInts} }
func intOrInts(name string) param { return param{name: name, kind: kindIntOrInts} }
func float(name string, fallback any) param {
	return param{name: name, kind: kindFloat, fallback: fallback}
}
func floats(name string) param { return param{name: name, kind: kindFloats} }
func number(name string, fallback any) param {
	return param{name: name, kind: kindNumber, fallback: fallback}
}
func boolean(name string, fallback bool) param {
	return param{name: name, kind: kindBool, fallback: fallback}
}
func dataType(name string, fallback any) param {
	return param{name: name, kind: kindType, fallback: fallback}
}
func enum[T ~string](name string, fallback T) param {
	return param{name: name, kind: kindEnum, fallback: string(fallback), enum: enumerationOf[T]()}
}
func enums[T ~string](name string) param {
	return param{name: name, kind: kindEnums, enum: enumerationOf[T]()}
}

// list is shorthand for a parameter list.
func list(p ...param) []param { return p }

// enumeration is an enumeration of the interface, by its name in the standard.
type enumeration string

// enumerationOf returns the enumeration that is the Go type T.
func enumerationOf[T ~string]() enumeration { return enumeration("ML" + reflect.TypeFor[T]().Name()) }

// enumerations has the members of each enumeration that parameters take, but for MLOperandDataType, which [DataTypes] lists.
var enumerations = func() map[enumeration][]string {
	all := make(map[enumeration][]string)
	addEnumeration(all, LayoutNCHW, LayoutNHWC)
	addEnumeration(all, FilterOIHW, FilterHWIO, FilterOHWI, FilterIHWO)
	addEnumeration(all, TransposeFilterIOHW, TransposeFilterHWOI, TransposeFilterOHWI)
	addEnumeration(all, GruZRN, GruRZN)
	addEnumeration(all, LstmIOFG, LstmIFGO)
	addEnumeration(all, ActivationRelu, ActivationSigmoid, ActivationTanh)
	addEnumeration(all, DirectionForward, DirectionBackward, DirectionBoth)
	addEnumeration(all, PadConstant, PadEdge, PadReflection)
	addEnumeration(all, RoundingFloor, RoundingCeil)
	addEnumeration(all, InterpolationNearestNeighbor, InterpolationLinear)
	return all
}()

func addEnumeration[T ~string](all map[enumeration][]string, members ...T) {
	all[enumerationOf[T]()] = words(members...)
}

// words returns members of an enumeration as strings.
func words[T ~string](members ...T) []string {
	list := make([]string, len(members))
	for i, m := range members {
		list[i] = string(m)
	}
	return list
}
