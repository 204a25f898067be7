//go:build server

// This example is behind a tag as nothing else here needs package net/http, which with all that it needs takes longer to compile than any package of Concord.

package pipeline_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/concord-nn/concord/media"
	"github.com/concord-nn/concord/pipeline"
)

// reader answers what its model says of the picture that a request brings.
type reader struct{ model *pipeline.Pipeline }

func (r reader) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	data, err := io.ReadAll(http.MaxBytesReader(w, req.Body, 4<<20))
	if err != nil {
		http.Error(w, "send one picture of at most 4 MiB", http.StatusRequestEntityTooLarge)
		return
	}
	picture, err := media.DecodePicture(data)
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnsupportedMediaType)
		return
	}
	answer, err := r.model.Picture(req.Context(), picture)
	if err != nil {
		http.Error(w, "the model did not answer", http.StatusInternalServerError)
		log.Print(err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		log.Print(err)
	}
}

// A server answers what a model says of the pictures that are sent to it. One pipeline serves all requests.
func Example_server() {
	p, err := pipeline.Open("../examples/digits/model.nnef")
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	server := httptest.NewServer(reader{p})
	defer server.Close()

	drawing, err := os.ReadFile("../examples/digits/drawings/seven.png")
	if err != nil {
		log.Fatal(err)
	}
	response, err := http.Post(server.URL, "image/png", bytes.NewReader(drawing))
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	var answer pipeline.Answer
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		log.Fatal(err)
	}
	fmt.Println(response.Status, answer.Outputs[0].Name, answer.Classes()[0].Label)
	// Output: 200 OK y 7
}
