package media

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"runtime/debug"
	"sync"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/manifest"
)

// Limits bound what reading a picture or a sound, and changing the rate of one, may take. A field that is 0 has its default, a negative one is no limit.
type Limits struct {
	// Memory is the number of bytes that decoding takes beside the file, and resampling beside the sound. It is checked before anything of that size is
	// allocated; exceeding it is an [engine.LimitError]. Default three quarters of what the machine, or the process's control group, has left.
	Memory int64
}

// memoryError says what exceeds the limit of memory.
type memoryError struct {
	what  string
	limit engine.LimitError
}

func (e *memoryError) Error() string {
	return fmt.Sprintf("%s would take %d bytes of memory; %d are allowed", e.what, e.limit.Need, e.limit.Allowed)
}

func (e *memoryError) Unwrap() error { return &e.limit }

// large is held while something large is made, so that what is left is asked for one at a time.
var large sync.Mutex

// within calls a function that allocates so many bytes, unless they are too many.
func (l Limits) within(need int64, what func() string, do func() error) error {
	allowed := l.Memory
	if allowed == 0 {
		allowed = limits.EngineMemoryLeast // which is there in any case
	}
	if need > allowed && l.Memory == 0 {
		large.Lock()
		defer large.Unlock()
		if allowed = limits.Memory(); need > allowed {
			debug.FreeOSMemory() // of what was read before
			allowed = limits.Memory()
		}
	}
	if need > allowed && l.Memory >= 0 {
		return &memoryError{what(), engine.LimitError{What: "memory", Need: need, Allowed: allowed}}
	}
	return do()
}

// The bytes of a pixel as it is returned, of a coefficient of a progressive JPEG, of a sample of a sound, and of a weight of samples.
const rgba, coefficient, sample, sampleWeight = 4, 4, 4, 8

// PictureBytes returns how many bytes [DecodePicture] takes at most beside the file, as its header says; 0 for what is no picture.
func PictureBytes(data []byte) int64 {
	config, format, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return 0
	}
	return decodedBytes(data, config, format)
}

// decodedBytes returns how many bytes a picture takes at most until it is the input of a model.
func decodedBytes(data []byte, config image.Config, format string) int64 {
	each, channels := 4, 3
	switch m := config.ColorModel; m {
	case color.RGBA64Model, color.NRGBA64Model, color.Gray16Model:
		each = 8 // also a gray one, which may have a transparent colour
	case color.YCbCrModel:
		each = 3
	case color.GrayModel:
		channels = 1
	case color.CMYKModel:
		each, channels = 8, 4 // which are put together from planes
	default:
		if _, ok := m.(color.Palette); ok {
			each = 1
		} else if format == "jpeg" { // likewise
			each = 8
		}
	}
	total := each + 2*rgba // it is turned upright, or put on a background
	switch {
	case format == "jpeg" && progressive(data):
		total += channels * coefficient
	case format == "png":
		total += each / 2 // the last pass of an interlaced one
	}
	return limits.Times(int64(total), int64(config.Width), int64(config.Height))
}

// SoundBytes returns how many bytes a sound takes at most beside the file, as its header says, until it is cut into windows: in [DecodeWAV], in
// [Resample], which is counted with a spec that says another rate, and scaled; 0 for what is no sound.
func SoundBytes(data []byte, spec *manifest.Audio) int64 {
	format, samples, _, err := wavData(data)
	if err != nil {
		return 0
	}
	n := int64(len(samples) / format.frame)
	total := format.bytes(n)
	if spec == nil {
		return total
	}
	if r, err := newRates(format.rate, spec.Rate); err == nil { // else nothing is made
		total += r.bytes(n)
		n = r.count(n)
	}
	if spec.Scale != 0 && spec.Scale != 1 {
		total += sample * n
	}
	return total
}
