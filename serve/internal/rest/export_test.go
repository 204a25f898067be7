package rest

// Paths returns methods and paths, as they are registered.
func Paths() []string {
	list := make([]string, len(paths))
	for i, p := range paths {
		list[i] = p.method + " " + p.path
	}
	return list
}
