package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

// entry is what the manifest of a folder of models says of one.
type entry struct {
	File    string   `json:"file"`
	Inputs  []array  `json:"inputs"`
	Outputs []string `json:"outputs"`
}

// readManifest reads what models a folder has; those of other files of it are relative to the folder.
func readManifest(folder string) (map[string]*entry, error) {
	text, err := os.ReadFile(filepath.Join(folder, "manifest.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return make(map[string]*entry), nil
	}
	var all map[string]*entry
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	for _, e := range all {
		e.File = filepath.Join(folder, e.File)
		for i := range e.Inputs {
			e.Inputs[i].File = filepath.Join(folder, e.Inputs[i].File)
		}
	}
	return all, err
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// step is a command that makes some of the models: which must be there before, and how it is run.
type step []string

// generation lists how the generator's scripts make a folder of models; {models} and {ort} stand for that folder and the one with ONNX Runtime.
var generation = []step{
	{"/usr/bin/python3", "gen_models.py", "{models}"},
	{"/usr/bin/python3", "make_qdq.py", "{models}", "resnet50", "calib"},
	{"node", "qdq_ranges.js", "{models}", "resnet50"},
	{"/usr/bin/python3", "make_qdq.py", "{models}", "resnet50", "quant"},
	{"/usr/bin/python3", "make_qdq.py", "{models}", "mobilenetv2", "calib"},
	{"node", "qdq_ranges.js", "{models}", "mobilenetv2"},
	{"/usr/bin/python3", "make_qdq.py", "{models}", "mobilenetv2", "quant"},
	{"/usr/bin/python3", "strip_inputs.py", "{models}", "ultraface_rfb320", "ultraface_slim320"},
}

// originals are the files of others that the generator makes inputs for, from the folder of models beside it.
var originals = map[string]string{
	"ultraface/*.onnx":          "",
	"ultraface/photos/2.jpg":    "photo.jpg",
	"silero-vad/*.onnx":         "",
	"silero-vad/speech-20s.wav": "test.wav",
}

// generate makes the models by the scripts of the generator. What is missing is said, and is no error: other networks can be measured.
func generate(generator, models, ort string, say io.Writer) error {
	if !exists(filepath.Join(generator, "gen_models.py")) {
		fmt.Fprintf(say, "there is no generator of networks in %s: only products are measured; --models names a folder with networks\n", generator)
		return nil
	}
	if err := os.MkdirAll(models, 0o755); err != nil {
		return err
	}
	for pattern, name := range originals {
		files, err := filepath.Glob(filepath.Join(generator, "..", "models", pattern))
		if err != nil {
			return err
		}
		for _, f := range files {
			to := filepath.Join(models, filepath.Base(f))
			if name != "" {
				to = filepath.Join(models, name)
			}
			text, err := os.ReadFile(f)
			if err == nil {
				err = os.WriteFile(to, text, 0o600)
			}
			if err != nil {
				return err
			}
		}
	}
	generator, err := filepath.Abs(generator)
	if err != nil {
		return err
	}
	for _, s := range generation {
		args := []string{s[0], filepath.Join(generator, s[1])}
		for _, a := range s[2:] {
			if a == "{models}" {
				a = models
			}
			args = append(args, a)
		}
		c := exec.Command(args[0], args[1:]...)
		c.Dir = ort // with node_modules
		if out, err := c.CombinedOutput(); err != nil {
			fmt.Fprintf(say, "%s %v: %v\n%s\nwhat is there is measured; without %s all is made again\n", s[1], s[2:], err, out, models)
		}
	}
	return nil
}

// installORT puts ONNX Runtime into a folder, unless it is there.
func installORT(folder string, say io.Writer) error {
	if exists(filepath.Join(folder, "node_modules", "onnxruntime-node")) {
		return nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	fmt.Fprintf(say, "installing onnxruntime-node into %s\n", folder)
	c := exec.Command("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "onnxruntime-node@1.30")
	c.Dir = folder
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("npm install onnxruntime-node: %w\n%s", err, out)
	}
	return nil
}
