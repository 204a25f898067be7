// Package peer runs models of ONNX with ONNX Runtime, for tests that want a second opinion, and says how they compare. It needs node, and
// the package onnxruntime-node in a folder node_modules that NODE_PATH names. Only tests may import it.
package peer
