package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/concord-nn/concord/serve"
)

// A server of one's own has the handler of a model beside whatever else it answers. Serve listens without one.
func Example() {
	s, err := serve.New(serve.Options{Dir: "../examples/digits/model.nnef", Model: "digits"})
	if err != nil {
		log.Fatal(err)
	}
	if err := s.Start(context.Background()); err != nil {
		log.Fatal(err)
	}
	defer func() { _ = s.Shutdown(context.Background()) }() // no request is under way
	web := httptest.NewServer(s.Handler())
	defer web.Close()

	drawing, err := os.Open("../examples/digits/drawings/seven.png")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = drawing.Close() }() // it has only been read
	response, err := http.Post(web.URL+"/models/digits/answer", "image/png", drawing)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	var answer struct {
		Outputs []struct {
			Classes []struct{ Label string }
		}
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Outputs[0].Classes[0].Label)
	// Output: 7
}
