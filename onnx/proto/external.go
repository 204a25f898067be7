package proto

import (
	"errors"
	"fmt"
	"math"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/internal/naming"
)

// external returns the bytes of a tensor that stand in another file. size is how many the tensor takes.
func (t *Tensor) external(files Files, size int) ([]byte, error) {
	var place struct{ location, offset, length string }
	for _, e := range []struct {
		key   string
		value *string
	}{{"location", &place.location}, {"offset", &place.offset}, {"length", &place.length}} {
		for _, entry := range t.ExternalData {
			if entry.Key == e.key && *e.value != "" {
				return nil, fmt.Errorf("external_data says twice what %s is", e.key)
			} else if entry.Key == e.key {
				*e.value = entry.Value
			}
		}
	}
	name, err := inside(place.location)
	if err != nil {
		return nil, err
	}
	if files == nil {
		return nil, fmt.Errorf("the elements stand in the file %q, and there is only the model here", name)
	}
	data, err := files.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", name, err)
	}
	offset, err := count("offset", place.offset, 0)
	if err != nil {
		return nil, err
	}
	length, err := count("length", place.length, uint64(size))
	if err != nil {
		return nil, err
	}
	if n := uint64(len(data)); offset > n || length > n-offset {
		return nil, fmt.Errorf("the elements should be the %d bytes at %d of %q, which has %d", length, offset, name, n)
	}
	return data[offset : offset+length : offset+length], nil
}

// inside returns the name of a file below the folder of the model, slash-separated.
func inside(location string) (string, error) {
	switch {
	case location == "":
		return "", errors.New("external_data says no location")
	case path.IsAbs(location) || slices.Contains(strings.Split(location, "/"), ".."):
		return "", fmt.Errorf("the location %q leads out of the folder of the model; external data must stand in it", location)
	}
	return path.Clean(location), nil
}

// count returns a number of bytes, or what stands for none.
func count(key, value string, none uint64) (uint64, error) {
	if value == "" {
		return none, nil
	}
	n, err := strconv.ParseUint(value, 10, 64)
	if err != nil || n > math.MaxInt64 {
		return 0, fmt.Errorf("the %s of the external data is %q; it must be a number of bytes", key, value)
	}
	return n, nil
}

// External returns the names of the files with external data that tensors anywhere in the model refer to, sorted. Locations that are not allowed are
// left out.
func (m *Model) External() []string {
	names := make(map[string]bool)
	tensors(reflect.ValueOf(m), func(t *Tensor) {
		for _, e := range t.ExternalData {
			if name, err := inside(e.Value); e.Key == "location" && err == nil && t.DataLocation == DataExternal {
				names[name] = true
			}
		}
	})
	return naming.Sorted(names)
}

// tensors calls a function for the tensors in a message.
func tensors(v reflect.Value, visit func(*Tensor)) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		if t, ok := v.Interface().(*Tensor); ok {
			visit(t)
			return
		}
		tensors(v.Elem(), visit)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				tensors(v.Field(i), visit)
			}
		}
	case reflect.Slice:
		if kind := v.Type().Elem().Kind(); kind == reflect.Pointer || kind == reflect.Struct {
			for i := range v.Len() {
				tensors(v.Index(i), visit)
			}
		}
	default: // no message
	}
}
