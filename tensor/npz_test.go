package tensor_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/concord-nn/concord/tensor"
)

func readNPZ(data []byte) ([]tensor.Named, error) {
	return tensor.ReadNPZ(bytes.NewReader(data), int64(len(data)), tensor.Limits{})
}

func TestNPZ(t *testing.T) {
	for _, name := range []string{"stored.npz", "deflated.npz"} {
		got, err := readNPZ(golden(t, name))
		if err != nil || len(got) != 2 || got[0].Name != "dir/f4_c" || got[1].Name != "dir/bool" ||
			!equal(got[0].Tensor, arrays()["f4_c"]) || !equal(got[1].Tensor, arrays()["bool"]) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	r := rand.New(rand.NewPCG(3, 3))
	var list []tensor.Named
	for _, d := range wholeTypes() {
		if d.IsSmallFloat() {
			continue
		}
		x := must(tensor.New(d, tensor.Shape{r.IntN(3), r.IntN(50), r.IntN(9)}))
		for i := range x.Len() {
			put(x, i, r.Uint64()>>(64-8*d.Size())&0x0101010101010101)
		}
		list = append(list, tensor.Named{"x_" + d.String(), must(x.Transpose(2, 0, 1))})
	}
	for _, compress := range []bool{false, true} {
		var first, second bytes.Buffer
		if err := errors.Join(tensor.WriteNPZ(&first, list, compress), tensor.WriteNPZ(&second, list, compress)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Error("the same tensors give other bytes")
		}
		got, err := readNPZ(first.Bytes())
		if err != nil || len(got) != len(list) {
			t.Fatal(got, err)
		}
		for i, g := range got {
			if g.Name != list[i].Name || !equal(g.Tensor, list[i].Tensor) {
				t.Errorf("%s comes back as %s, another tensor", list[i].Name, g.Name)
			}
		}
	}
	for _, bad := range [][]tensor.Named{{{"", list[0].Tensor}}, {list[0], list[0]}, {{"\xff", list[0].Tensor}}} {
		if err := tensor.WriteNPZ(io.Discard, bad, false); err == nil {
			t.Errorf("the names of %v are accepted", bad)
		}
	}
}

// archive makes a stored archive of members given as name and content.
func archive(members ...string) []byte {
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	for i := 0; i < len(members); i += 2 {
		w := must(z.CreateHeader(&zip.FileHeader{Name: members[i], Method: zip.Store}))
		must(w.Write([]byte(members[i+1])))
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return buf.Bytes()
}

func TestNPZRefused(t *testing.T) {
	array := string(golden(t, "i4.npy"))
	stored := archive("a.npy", array)
	damaged := bytes.Replace(stored, []byte(array[128:]), []byte("damaged!"), 1)
	encrypted := bytes.Clone(stored)
	encrypted[bytes.LastIndex(encrypted, []byte("PK\x01\x02"))+8] |= 1
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"no archive":     {[]byte("nothing"), "no zip archive"},
		"other member":   {archive("a.npy", array, "b.txt", "text"), `member "b.txt"`},
		"same name":      {archive("a.npy", array, "a.npy", array), "same name"},
		"trailing bytes": {archive("a.npy", array+"more"), "offset 136: the member has more bytes"},
		"truncated":      {archive("a.npy", array[:130]), `member "a.npy": offset 128`},
		"empty member":   {archive("a.npy", ""), "magic number"},
		"damaged":        {damaged, "checksum"},
		"encrypted":      {encrypted, "encrypted"},
	} {
		var f *tensor.FormatError
		if got, err := readNPZ(c.data); got != nil || !errors.As(err, &f) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v; want %q", name, got, err, c.want)
		}
	}
	whole := golden(t, "deflated.npz")
	for n := range whole {
		if _, err := readNPZ(whole[:n]); err == nil {
			t.Fatalf("an archive cut at %d is accepted", n)
		}
	}
	// A bomb: much more than the limit, well compressed.
	var bomb bytes.Buffer
	if err := tensor.WriteNPZ(&bomb, []tensor.Named{{"a", must(tensor.New(tensor.Float32, tensor.Shape{1 << 20}))}}, true); err != nil {
		t.Fatal(err)
	}
	if _, err := tensor.ReadNPZ(bytes.NewReader(bomb.Bytes()), int64(bomb.Len()), tensor.Limits{Bytes: 1 << 20}); !errors.Is(err, tensor.ErrLimit) {
		t.Errorf("a bomb of %d bytes: %v", bomb.Len(), err)
	}
}

func FuzzReadNPZ(f *testing.F) {
	f.Add(golden(f, "stored.npz"))
	f.Add(golden(f, "deflated.npz"))
	f.Add(golden(f, "f8_v2.npy"))
	f.Fuzz(func(t *testing.T, data []byte) {
		// As a member, the data is an array exactly if it is one by itself, with nothing behind it.
		r := bytes.NewReader(data)
		alone, aloneErr := tensor.ReadNPY(r, tensor.Limits{})
		member, memberErr := readNPZ(archive("a.npy", string(data)))
		if ok := aloneErr == nil && r.Len() == 0; ok != (memberErr == nil) || ok && !equal(member[0].Tensor, alone) {
			t.Fatalf("by itself: %v, %v; as a member: %v, %v", alone, aloneErr, member, memberErr)
		}
		list, err := tensor.ReadNPZ(bytes.NewReader(data), int64(len(data)), tensor.Limits{Bytes: 1 << 20})
		if err != nil {
			if fe := (*tensor.FormatError)(nil); !errors.As(err, &fe) {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		z, err := tensor.OpenNPZ(bytes.NewReader(data), int64(len(data)), tensor.Limits{Bytes: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range list {
			if n.Tensor == nil || len(n.Tensor.Bytes()) > 1<<20 {
				t.Fatalf("member %q is %v", n.Name, n.Tensor)
			}
			if d, shape, err := z.Type(n.Name); err != nil || d != n.Tensor.DType() || !shape.Equal(n.Tensor.Shape()) {
				t.Fatalf("member %q is %v; its type alone is %v%v, %v", n.Name, n.Tensor.Describe(), d, shape, err)
			}
		}
		if len(list) > 0 { // the last one by itself
			last := list[len(list)-1]
			if one, err := z.Read(last.Name); err != nil || !equal(one, last.Tensor) {
				t.Fatalf("member %q alone is %v, %v; with others %v", last.Name, one, err, last.Tensor)
			}
		}
	})
}
