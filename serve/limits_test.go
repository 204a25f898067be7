package serve_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/serve"
)

// TestHeaderLimit sends headers around the limit to a server that listens. Package http allows some bytes more.
func TestHeaderLimit(t *testing.T) {
	s := listen(t, serve.Options{Dir: folder(t, "digits.nnef"), Control: "none"})
	for length, want := range map[int]int{limits.ServeHeader: 200, limits.ServeHeader + 8<<10: 431} {
		r, err := http.NewRequest(http.MethodGet, s.url+"/v2/health/live", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Long", strings.Repeat("x", length))
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("a header of %d bytes: status %d; want %d", length, answer.StatusCode, want)
		}
	}
}

func TestAnswerLimits(t *testing.T) {
	s := start(t, serve.Options{Dir: folder(t, "digits.nnef"), Control: "none"})
	for _, c := range []struct {
		begin   string
		length  int
		status  int
		message string
	}{
		{"", limits.ServeAnswer, 400, "no PNG"}, {"", limits.ServeAnswer + 1, 413, "is larger than"},
		{"{", limits.ServeNumbers, 400, "the name of a member"}, {"{", limits.ServeNumbers + 1, 413, "JSON of more than"},
	} {
		s.wants("POST", "/models/digits/answer", c.begin+strings.Repeat("x", c.length-len(c.begin)), c.status, c.message)
	}
}
