package codes

import (
	_ "embed" // codes.txt
	"strings"
	"sync"
)

//go:embed codes.txt
var text string

// table reads codes.txt: the entries in the order of their codes. A test holds it to the constants.
var table = sync.OnceValue(func() (list []Entry) {
	for _, part := range strings.Split(text, "\n\nNNEF")[1:] {
		head, body, _ := strings.Cut(part, "\n")
		number, title, _ := strings.Cut(head, " ")
		e := Entry{Title: title}
		e.Code, _ = Parse(number)
		fields := map[string]*string{"clause": &e.Clause, "level": &e.Level, "wrong": &e.Wrong, "right": &e.Right}
		place := &e.Rule
		for line := range strings.SplitSeq(strings.TrimRight(body, "\n"), "\n") {
			name, value, _ := strings.Cut(line, ":")
			switch field := fields[name]; {
			case field != nil:
				place, *field = field, strings.TrimSpace(value)
			case *place == "":
				*place = strings.TrimPrefix(line, "    ")
			default:
				*place += "\n" + strings.TrimPrefix(line, "    ")
			}
		}
		list = append(list, e)
	}
	return list
})
