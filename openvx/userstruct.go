package openvx

import "github.com/concord-nn/concord/internal/limits"

// userStruct is a structure that the application has registered. Its type is TypeUserStructStart plus its place.
type userStruct struct {
	size int
	name string
}

// RegisterUserStruct makes a type of a structure of the application (vxRegisterUserStruct, vxRegisterUserStructWithName). The name may
// be empty; if there is a structure of the name already, it must have the same size, and its type is returned. A size that is not
// positive, a name of more than MaxReferenceName bytes or one of another structure is ErrorInvalidParameters; when all types are in use
// the error is ErrorNoResources. The type that comes with an error is TypeInvalid.
func (c *Context) RegisterUserStruct(size int, name string) (Type, error) {
	return create(c, ".RegisterUserStruct", func() Type {
		if size <= 0 || size > limits.VXStruct {
			refuse(ErrorInvalidParameters, "the structure has %d bytes: it must have 1 to %d", size, limits.VXStruct)
		}
		checkName("a structure", name, MaxReferenceName)
		if old, ok := c.structNamed(name); ok {
			if had := c.structs[old-TypeUserStructStart].size; had != size {
				refuse(ErrorInvalidParameters, "the structure %q has been registered with %d bytes, not %d", name, had, size)
			}
			return old
		}
		next := TypeUserStructStart + Type(len(c.structs))
		if next > TypeUserStructEnd {
			refuse(ErrorNoResources, "all %d types of structures are in use", len(c.structs))
		}
		c.structs = append(c.structs, userStruct{size, name})
		return next
	})
}

// structNamed returns the type of the structure with a name that is not empty.
func (c *Context) structNamed(name string) (Type, bool) {
	for i, s := range c.structs {
		if name != "" && s.name == name {
			return TypeUserStructStart + Type(i), true
		}
	}
	return TypeInvalid, false
}

// structOf returns what has been registered as t.
func (c *Context) structOf(t Type) (userStruct, bool) {
	i := int(t - TypeUserStructStart)
	if i < 0 || i >= len(c.structs) {
		return userStruct{}, false
	}
	return c.structs[i], true
}

// UserStructName returns the name of a registered structure (vxGetUserStructNameByEnum). A type that has no name, in particular one
// that is not a structure of the application at all, is Failure; one that could be such a structure but is not registered is
// ErrorInvalidParameters.
func (c *Context) UserStructName(t Type) (string, error) {
	return create(c, ".UserStructName", func() string {
		s, ok := c.structOf(t)
		switch {
		case t < TypeUserStructStart || t > TypeUserStructEnd:
			refuse(Failure, "%s is not a structure of the application", t)
		case !ok:
			refuse(ErrorInvalidParameters, "no structure is registered as %s", t)
		case s.name == "":
			refuse(Failure, "the structure %s has no name", t)
		}
		return s.name
	})
}

// UserStructType returns the type of the structure of a name (vxGetUserStructEnumByName), or Failure if there is none.
func (c *Context) UserStructType(name string) (Type, error) {
	return create(c, ".UserStructType", func() Type {
		t, ok := c.structNamed(name)
		if !ok {
			refuse(Failure, "no structure is named %q", name)
		}
		return t
	})
}
