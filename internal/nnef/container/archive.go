package container

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/mapfile"
)

// Limits bounds what is read of an archive, which a small file can unpack to.
type Limits struct {
	Bytes   int64 // of all members, unpacked, and of their names
	Members int
	Ratio   int64 // unpacked bytes for each packed one, beyond the first 64 MiB; 0 for no limit
}

// DefaultLimits are the limits of Open. A larger model can be opened as a folder.
var DefaultLimits = Limits{Bytes: limits.ArchiveBytes, Members: limits.ArchiveMembers, Ratio: limits.ArchiveRatio}

// archiveSuffixes are the endings of archives, which may be gzipped whatever the ending says.
var archiveSuffixes = []string{".tar", ".tgz", ".tar.gz"}

// IsArchive reports whether a file name has the ending of an archive.
func IsArchive(name string) bool {
	return slices.ContainsFunc(archiveSuffixes, func(s string) bool { return strings.HasSuffix(strings.ToLower(name), s) })
}

// unpackedInMemory is how many bytes of a packed archive's members stay in memory. What is more can be forgotten: see [mapfile.Space].
const unpackedInMemory = 4 << 20

var gzipMagic = []byte{0x1F, 0x8B}

// openArchive opens an archive. If it is not gzipped, its members stand in mapped memory.
func openArchive(f *os.File) (*Container, error) {
	magic := make([]byte, len(gzipMagic))
	if _, err := f.ReadAt(magic, 0); err == nil && bytes.Equal(magic, gzipMagic) {
		return readArchive(f, DefaultLimits, &mapfile.Space{InMemory: unpackedInMemory})
	}
	m, err := mapfile.Map(f)
	if err != nil { // the disk fails, or there is no such memory
		return nil, err
	}
	files, err := mapArchive(m.Data, DefaultLimits)
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return members(files, m.Close), nil
}

// mapArchive finds the members of a tar archive in memory. They take no further memory, so that there is no limit for it.
func mapArchive(data []byte, bounds Limits) (map[string][]byte, error) {
	bounds.Bytes = int64(len(data))
	r := bytes.NewReader(data)
	return collect(tar.NewReader(r), bounds, func(_ string, _ io.Reader, size int64) ([]byte, error) {
		if int64(r.Len()) < size {
			return nil, io.ErrUnexpectedEOF
		}
		at := int64(len(data) - r.Len())
		return data[at : at+size : at+size], nil
	})
}

// ReadArchive reads a tar archive, gzipped or not, into memory. Names may begin with "./" and may have backslashes for
// slashes. If the graph does not stand at the top but in one folder there, that folder is the model and what is beside it
// is left out. Names that leave the archive, links, devices and members of one name are refused, as are archives beyond
// the limits.
func ReadArchive(r io.Reader, bounds Limits) (*Container, error) {
	return readArchive(r, bounds, &mapfile.Space{InMemory: math.MaxInt64})
}

// readArchive reads an archive into a space, which the container closes.
func readArchive(r io.Reader, bounds Limits, space *mapfile.Space) (*Container, error) {
	files, err := unpack(r, bounds, func(_ string, r io.Reader, size int64) ([]byte, error) { return space.Read(r, size) })
	if err != nil {
		return nil, errors.Join(err, space.Close())
	}
	return members(files, space.Close), nil
}

// ReadFiles returns files of the model in an archive, by their names in the model, as far as there are files of the given names. What
// else is in the archive is read past, within the limits, and takes no memory. A file that has more than most bytes is refused.
func ReadFiles(r io.Reader, bounds Limits, most int64, names ...string) (map[string][]byte, error) {
	all, err := unpack(r, bounds, func(name string, r io.Reader, size int64) ([]byte, error) {
		_, inner, _ := strings.Cut(name, "/") // in the folder that holds the model, if the archive has one
		switch {
		case !slices.Contains(names, name) && !slices.Contains(names, inner):
			return nil, nil
		case size > most:
			return nil, fmt.Errorf("it is larger than %d bytes", most)
		}
		return io.ReadAll(io.LimitReader(r, size))
	})
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(all, func(name string, _ []byte) bool { return !slices.Contains(names, name) })
	return all, nil
}

// content returns the bytes of the member of a name at which an archive stands.
type content func(name string, r io.Reader, size int64) ([]byte, error)

// unpack returns the members of an archive.
func unpack(r io.Reader, bounds Limits, content content) (map[string][]byte, error) {
	packed := &counted{Reader: r}
	b := bufio.NewReaderSize(packed, 64<<10)
	if magic, _ := b.Peek(len(gzipMagic)); !bytes.Equal(magic, gzipMagic) {
		return collect(tar.NewReader(b), bounds, content)
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, fmt.Errorf("gzip: %w", Damage(err))
	}
	unpacked := &bounded{Reader: z, taken: func() int64 { return packed.n - int64(b.Buffered()) }, ratio: bounds.Ratio}
	files, err := collect(tar.NewReader(unpacked), bounds, content)
	if err != nil {
		return nil, err
	}
	// The checksum stands behind the end of the archive.
	if _, err := io.Copy(io.Discard, io.LimitReader(unpacked, bounds.Bytes)); err != nil {
		return nil, err
	}
	return files, nil
}

// counted counts what is read.
type counted struct {
	io.Reader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}

// bounded fails when much more was unpacked than the packed bytes suggest.
type bounded struct {
	io.Reader
	taken func() int64 // the packed bytes
	ratio int64
	n     int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err != nil && err != io.EOF { //nolint:errorlint // what ends too early is another error
		err = fmt.Errorf("gzip: %w", Damage(err))
	}
	b.n += int64(n)
	if taken := b.taken(); b.ratio > 0 && b.n > limits.ArchiveFree && b.n/b.ratio > taken {
		return 0, fmt.Errorf("%d packed bytes unpack to more than %d times as many, the limit; unpack the archive: a folder has no such limit", taken, b.ratio)
	}
	return n, err
}

// Damage says in plain words what is wrong with an archive, where tar or gzip say it; other errors stay.
func Damage(err error) error {
	at := new(flate.CorruptInputError)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return errors.New("the archive is cut off")
	case errors.Is(err, tar.ErrHeader):
		return errors.New("there is no tar header where one should be")
	case errors.Is(err, gzip.ErrHeader):
		return errors.New("this is not gzip, or its header is damaged")
	case errors.Is(err, gzip.ErrChecksum):
		return errors.New("the checksum is wrong: the data are damaged")
	case errors.As(err, at):
		return fmt.Errorf("the compressed data are damaged before byte %d", int64(*at))
	}
	return err
}

// collect returns the members of an archive that make the model.
func collect(t *tar.Reader, bounds Limits, content content) (map[string][]byte, error) {
	files := make(map[string][]byte)
	left, count := bounds.Bytes, 0
	for {
		h, err := t.Next()
		switch {
		case err == io.EOF && count == 0: //nolint:errorlint // a wrapped io.EOF is an archive that is cut off
			return nil, errors.New("the archive is empty")
		case err == io.EOF: //nolint:errorlint // see above
			return modelOf(files)
		case err != nil && count == 0 && !errors.Is(err, tar.ErrHeader):
			return nil, errors.New("the archive is cut off, or the file is no tar archive at all")
		case err != nil:
			return nil, fmt.Errorf("member %d: %w", count+1, Damage(err))
		}
		if count++; count > bounds.Members {
			return nil, fmt.Errorf("the archive has more than %d members", bounds.Members)
		}
		if len(h.Name) > limits.ArchiveName {
			return nil, fmt.Errorf("member %d: its name has %d bytes; names have at most %d", count, len(h.Name), limits.ArchiveName)
		}
		if h.Typeflag == tar.TypeDir || h.Typeflag == tar.TypeXGlobalHeader {
			continue
		}
		name := path.Clean(strings.TrimPrefix(strings.ReplaceAll(h.Name, `\`, "/"), "./"))
		if err := checkMember(h, name); err != nil {
			return nil, err
		}
		if _, ok := files[name]; ok {
			return nil, fmt.Errorf("member %q occurs twice", h.Name)
		}
		if left -= int64(len(name)); h.Size > left {
			return nil, fmt.Errorf("member %q is beyond the limit of %d bytes for all members; unpack the archive: a folder has no such limit", h.Name, bounds.Bytes)
		}
		data, err := content(name, t, h.Size)
		if err != nil {
			return nil, fmt.Errorf("member %q: %w", h.Name, Damage(err))
		}
		left -= int64(len(data))
		files[name] = data
	}
}

// checkMember refuses what is no file within the archive.
func checkMember(h *tar.Header, name string) error {
	switch h.Typeflag {
	case tar.TypeReg:
	case tar.TypeLink, tar.TypeSymlink:
		return fmt.Errorf("member %q is a link; links are not followed, put the file itself in its place", h.Name)
	default:
		return fmt.Errorf("member %q is neither a file nor a folder", h.Name)
	}
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return fmt.Errorf("member %q is a sparse file; write it in full", h.Name)
		}
	}
	if !fs.ValidPath(name) || len(name) > 1 && name[1] == ':' {
		return fmt.Errorf("the name of member %q leads out of the archive", h.Name)
	}
	return nil
}

// modelOf returns the files of the folder that the graph stands in, by their names there.
func modelOf(files map[string][]byte) (map[string][]byte, error) {
	if _, ok := files[GraphFile]; ok {
		return files, nil
	}
	model := ""
	for name := range files {
		folder, file := path.Split(name)
		switch {
		case file != GraphFile || strings.Count(folder, "/") != 1:
		case model != "":
			return nil, fmt.Errorf("the archive has several models, %s and %s among them; unpack it", min(model, folder), max(model, folder))
		default:
			model = folder
		}
	}
	out := make(map[string][]byte, len(files))
	for name, data := range files {
		if inner, ok := strings.CutPrefix(name, model); ok {
			out[inner] = data
		}
	}
	return out, nil
}
