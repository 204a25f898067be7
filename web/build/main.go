package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	o := flag.String("o", "", "")
	flag.Parse()
	b, _ := os.ReadFile(flag.Arg(1))
	switch flag.Arg(0) {
	case "pack":
		m, err := pack(b)
		if err != nil {
			panic(err)
		}
		os.WriteFile(*o, m, 0o666)
	case "reduce":
		os.MkdirAll(*o, 0o777)
		root, _ := filepath.Abs(".")
		fmt.Println(reduce(root, *o))
	}
}
