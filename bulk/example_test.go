package bulk_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/concord-nn/concord/bulk"
)

// A list is computed in two parts. They are files, of which the first process may write one and another machine the other.
func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	job, err := bulk.Open("../examples/digits/model.nnef", bulk.Options{
		Inputs: []string{"../examples/digits/drawings/s*.png"},
		Shards: 2,
	})
	if err != nil {
		log.Fatal(err)
	}
	defer job.Close()
	for shard := range job.Shards() {
		done, err := job.Run(context.Background(), dir, shard, false, nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(filepath.Base(done.File), done.Inputs)
	}
	// Output:
	// part-00000-of-00002.jsonl 2
	// part-00001-of-00002.jsonl 2
}

// The records of a part are computed one by one, such as by a pipeline that writes them elsewhere.
func ExampleJob_Items() {
	job, err := bulk.Open("../examples/digits/model.nnef", bulk.Options{Inputs: []string{"../examples/digits/drawings/s*.png"}})
	if err != nil {
		log.Fatal(err)
	}
	defer job.Close()
	err = job.Items(context.Background(), 0, func(item *bulk.Item) error {
		record, err := job.Record(context.Background(), item)
		fmt.Println(filepath.Base(item.Source), record[len(record)-1] == '\n')
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// seven-2.png true
	// seven.png true
	// six-2.png true
	// six.png true
}
