//go:build unix

package main

import (
	"bufio"
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/concord-nn/concord/internal/testdata"
)

// TestDeployImage builds the program as the Dockerfile does and runs it as the image does: alone in a folder as nobody, who can write nothing there.
func TestDeployImage(t *testing.T) {
	testdata.Exhaustive(t, "builds the program")
	root := t.TempDir()
	build := regexp.MustCompile(`(?m)^RUN (.*go build.*)$`).FindStringSubmatch(deployed(t, "Dockerfile"))
	if build == nil {
		t.Fatal("the Dockerfile does not build")
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", strings.Replace(build[1], "-o /concord", "-o "+filepath.Join(root, "concord"), 1))
	cmd.Dir = "../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.CopyFS(filepath.Join(root, "models/digits/1"), os.DirFS("../../examples/digits/model.nnef")); err != nil {
		t.Fatal(err)
	}
	server := exec.CommandContext(t.Context(), "/concord", "serve", "/models", "--http", "127.0.0.1:0")
	server.Env = []string{}
	server.Dir = "/"
	server.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
	log, err := server.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Skip("only root may change roots: ", err)
	}
	address := ""
	lines := bufio.NewScanner(log)
	for address == "" && lines.Scan() {
		if m := regexp.MustCompile(`127\.0\.0\.1:\d+`).FindString(lines.Text()); m != "" {
			address = "http://" + m
		}
	}
	said := make(chan string)
	go func() {
		var rest strings.Builder
		for lines.Scan() {
			rest.WriteString(lines.Text() + "\n")
		}
		said <- rest.String()
	}()
	for status := 0; status != http.StatusOK; time.Sleep(20 * time.Millisecond) { // until the test's time is over
		r, err := http.Get(address + "/v2/health/ready")
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		status = r.StatusCode
	}
	drawing, err := os.ReadFile("../../examples/digits/drawings/seven.png")
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.Post(address+"/models/digits/answer", "image/png", bytes.NewReader(drawing))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var answer bytes.Buffer
	if _, err := answer.ReadFrom(r.Body); err != nil || !strings.Contains(answer.String(), `"label": "7",`) {
		t.Errorf("%v %s", err, answer.String())
	}
	if err := server.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if rest := <-said; strings.Contains(rest, "denied") || strings.Contains(rest, "read-only") {
		t.Errorf("the server says %s", rest)
	}
	if err := server.Wait(); err != nil {
		t.Errorf("the server ends with %v", err)
	}
}
