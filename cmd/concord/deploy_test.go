package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
)

// deployed returns a file of the folder deploy.
func deployed(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestDeployFlags holds the files to flags that there are.
func TestDeployFlags(t *testing.T) {
	help, code := execute(t, "serve", "--help")
	if code != 0 {
		t.Fatal(help)
	}
	for _, name := range []string{"Dockerfile", "kubernetes.yaml", "kserve.yaml", "README.md"} {
		text := regexp.MustCompile(`(?m)^(FROM|docker|COPY).*`).ReplaceAllString(deployed(t, name), "") // which have flags of their own
		for _, flag := range regexp.MustCompile(`--[a-z][a-z-]*`).FindAllString(text, -1) {
			if !regexp.MustCompile(`(?m)^ +(-\w, )?` + flag + `\b`).MatchString(help) {
				t.Errorf("%s: concord serve has no %s", name, flag)
			}
		}
	}
}

// TestDeployYAML reads the files of Kubernetes as Debian's python3-yaml does.
func TestDeployYAML(t *testing.T) {
	testdata.Exhaustive(t, "starts a program that few have")
	const program = "import json, sys, yaml; print(json.dumps(list(yaml.safe_load_all(sys.stdin))))"
	for name, kinds := range map[string]string{"kubernetes.yaml": "Deployment Service", "kserve.yaml": "ServingRuntime"} {
		cmd := exec.CommandContext(t.Context(), "/usr/bin/python3", "-c", program)
		cmd.Stdin = strings.NewReader(deployed(t, name))
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var list []struct{ Kind string }
		if err := json.Unmarshal(out, &list); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, x := range list {
			got = append(got, x.Kind)
		}
		if strings.Join(got, " ") != kinds {
			t.Errorf("%s has %v", name, got)
		}
	}
}
