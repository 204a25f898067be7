package limits

import "reflect"

// Filled returns limits, a structure of ints, with the defaults in place of those that are not positive.
func Filled[T any](given, defaults T) T {
	to, from := reflect.ValueOf(&given).Elem(), reflect.ValueOf(defaults)
	for i := range to.NumField() {
		if to.Field(i).Int() <= 0 {
			to.Field(i).Set(from.Field(i))
		}
	}
	return given
}
