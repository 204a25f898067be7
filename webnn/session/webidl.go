package session

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// The conversions of JavaScript that WebIDL builds on: ToNumber, ToString and ToBoolean, for the values that a session can
// carry.

var errBigInt = errors.New("a BigInt is given; it must be a number")

// toNumber is the conversion to a number that arithmetic makes.
func toNumber(v Value) (float64, error) {
	switch v := v.(type) {
	case nil:
		return 0, nil
	case bool:
		if v {
			return 1, nil
		}
		return 0, nil
	case float64:
		return v, nil
	case string:
		return stringToNumber(v), nil
	case *big.Int:
		return 0, errBigInt
	case []Value:
		return stringToNumber(toString(v)), nil // as the list is written: [] is "" and [5] is "5"
	}
	return math.NaN(), nil // objects are written in words
}

// stringToNumber reads a number literal; what is none gives NaN.
func stringToNumber(s string) float64 {
	s = strings.TrimFunc(s, isSpace)
	if s == "" {
		return 0
	}
	if len(s) > 2 && s[0] == '0' {
		if base := map[byte]int{'x': 16, 'X': 16, 'o': 8, 'O': 8, 'b': 2, 'B': 2}[s[1]]; base != 0 {
			n, ok := readBigInt(s[2:], base)
			if !ok || s[2] == '+' || s[2] == '-' {
				return math.NaN()
			}
			f, _ := new(big.Float).SetInt(n).Float64()
			return f
		}
	}
	if strings.TrimLeft(s, "+-") == infinity && len(s) <= len(infinity)+1 {
		return math.Inf(1 - 2*strings.Count(s, "-"))
	}
	if strings.Trim(s, "0123456789+-.eE") != "" {
		return math.NaN() // Go reads more notations
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return math.NaN()
	}
	return f
}

func isSpace(r rune) bool {
	return r == '\ufeff' || r == '\u2028' || r == '\u2029' || strings.ContainsRune(" \t\n\v\f\r\u00a0", r)
}

// toString writes a value as a page does.
func toString(v Value) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return numberToString(v)
	case *big.Int:
		return v.String()
	case []Value:
		items := make([]string, len(v))
		for i, x := range v {
			if x != nil {
				items[i] = toString(x)
			}
		}
		return strings.Join(items, ",")
	}
	return "[object Object]"
}

const infinity = "Infinity"

// NonFinite returns the text that JavaScript has for a number without digits, NaN, Infinity or -Infinity, and false for all
// other numbers. Scripts take it for the number, and so do the numeric arguments of a session, where it stands in a string.
func NonFinite(f float64) (string, bool) {
	switch {
	case math.IsNaN(f):
		return "NaN", true
	case math.IsInf(f, 1):
		return infinity, true
	case math.IsInf(f, -1):
		return "-" + infinity, true
	}
	return "", false
}

// numberToString writes a number with the fewest digits that give it back, with an exponent from 1e21 and below 1e-6.
func numberToString(f float64) string {
	if text, ok := NonFinite(f); ok {
		return text
	}
	if a := math.Abs(f); f != 0 && (a >= 1e21 || a < 1e-6) {
		digits, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
		n, _ := strconv.Atoi(exponent)
		return fmt.Sprintf("%se%+d", digits, n)
	}
	return strconv.FormatFloat(f+0, 'f', -1, 64)
}

// toBoolean says whether a condition holds.
func toBoolean(v Value) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case float64:
		return v != 0 && !math.IsNaN(v)
	case string:
		return v != ""
	case *big.Int:
		return v.Sign() != 0
	}
	return true
}

// enforceRange converts to an integer type with [EnforceRange]: a fraction is cut off, and what is out of range is refused.
func enforceRange(v Value, lo, hi float64) (int, error) {
	f, err := toNumber(v)
	if err != nil {
		return 0, err
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, fmt.Errorf("the value is %s; it must be finite", numberToString(f))
	}
	f = math.Trunc(f)
	if f < lo || f > hi {
		return 0, fmt.Errorf("the value is %s; it must be from %s to %s", numberToString(f), numberToString(lo), numberToString(hi))
	}
	return int(f), nil
}
