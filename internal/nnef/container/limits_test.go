package container

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/testdata"
)

// TestArchiveNames reads members of long names, which take the place of contents.
func TestArchiveNames(t *testing.T) {
	for _, c := range []struct {
		name int
		want string
	}{
		{400, ""}, {981, ""}, {982, "beyond the limit of 1000 bytes"}, {limits.ArchiveName, "beyond the limit of 1000 bytes"},
		{limits.ArchiveName + 1, "member 2: its name has 4097 bytes; names have at most 4096"},
	} {
		text := archive(t, false, GraphFile, "graph", strings.Repeat("n", c.name), "abcd")
		_, err := ReadArchive(bytes.NewReader(text), Limits{Bytes: 1000, Members: 2})
		if got := fmt.Sprint(err); (err == nil) != (c.want == "") || !strings.Contains(got, c.want) || len(got) > 1500 && c.name > 4096 {
			t.Errorf("a name of %d bytes: %v", c.name, err)
		}
	}
}

// TestArchiveLimits reads archives that are as large as is allowed, and larger.
func TestArchiveLimits(t *testing.T) {
	if want := (Limits{limits.ArchiveBytes, limits.ArchiveMembers, limits.ArchiveRatio}); DefaultLimits != want {
		t.Errorf("the defaults are %+v; want %+v", DefaultLimits, want)
	}
	members := func(n int) []byte {
		list := []string{GraphFile, ""}
		for i := range n - 1 {
			list = append(list, strconv.Itoa(i), "")
		}
		return archive(t, false, list...)
	}
	few := DefaultLimits
	few.Members = 100
	for _, n := range []int{few.Members, few.Members + 1} {
		_, err := ReadArchive(bytes.NewReader(members(n)), few)
		if beyond := err != nil && strings.Contains(err.Error(), "more than 100 members"); beyond != (n > few.Members) {
			t.Errorf("%d members: %v", n, err)
		}
	}
	for _, zipped := range []bool{false, true} {
		for _, n := range []int{1000, 1001} {
			_, err := ReadArchive(bytes.NewReader(archive(t, zipped, GraphFile, "graph", "w", string(make([]byte, n-5-len(GraphFile+"w"))))), Limits{Bytes: 1000, Members: 2})
			if beyond := err != nil && strings.Contains(err.Error(), "beyond the limit of 1000 bytes"); beyond != (n > 1000) {
				t.Errorf("%d bytes: %v", n, err)
			}
		}
	}
	testdata.Exhaustive(t, "it packs 64 MiB") // zeros are packed a thousand times
	for _, c := range []struct {
		n     int
		ratio int64
		ok    bool
	}{
		{limits.ArchiveFree - 1<<14, limits.ArchiveRatio, true},
		{limits.ArchiveFree + 1, limits.ArchiveRatio, false},
	} {
		_, err := ReadArchive(bytes.NewReader(archive(t, true, GraphFile, string(make([]byte, c.n)))), Limits{limits.ArchiveBytes, 1, c.ratio})
		if beyond := err != nil && strings.Contains(err.Error(), fmt.Sprintf("more than %d times", c.ratio)); beyond == c.ok {
			t.Errorf("%d bytes: %v", c.n, err)
		}
	}
}
