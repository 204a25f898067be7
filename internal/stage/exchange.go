//go:build !linux && !darwin

package stage

import "errors"

// Exchange is missing here.
func Exchange(string, string) error { return errors.ErrUnsupported }
