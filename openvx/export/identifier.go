package export

import (
	"fmt"
	"strings"

	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/internal/pattern"
)

// identifier returns the text with everything replaced that an identifier of C cannot have, or should not: one that begins with an
// underscore or like the names of OpenVX, and one without small letters, as macros have them, gets another beginning or end.
func identifier(text string) string {
	name := strange.Get().ReplaceAllString(text, "_")
	if name == "" || name[0] == '_' || '0' <= name[0] && name[0] <= '9' || strings.HasPrefix(strings.ToLower(name), "vx") {
		name = "t_" + strings.TrimLeft(name, "_")
	}
	if strings.ToUpper(name) == name {
		name += "_"
	}
	return name
}

var strange = pattern.Of(`[^A-Za-z0-9]`)

// reserved are the names that tensors cannot have: words of the languages C and C++ and macros of compilers, and what the generated code
// itself uses.
var reserved = naming.Of(strings.Fields(`alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl const const_cast
		constexpr continue decltype default delete do double dynamic_cast else enum explicit export extern false float for friend goto if
		inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register
		reinterpret_cast restrict return short signed sizeof static static_assert static_cast struct switch template this thread_local
		throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq
		linux unix i386 errno stdin stdout stderr assert offsetof
		to group graph failed held count capacity network builder tensor virtual_tensor weights view part real table node check keep`)...)

// literal writes a string of C.
func literal(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\' || c == '?': // of two of which a trigraph could be made
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c > '~':
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// comment writes text that stands in a comment, which nothing in it ends.
func comment(s string) string { return strings.ReplaceAll(literal(s), "*/", "*\\/") }
