package concord_test

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/bulk"
	"github.com/concord-nn/concord/cvm"
	cvmexport "github.com/concord-nn/concord/cvm/export"
	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/cvm/params"
	"github.com/concord-nn/concord/cvm/symbol"
	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/engine/wasm"
	wasmexport "github.com/concord-nn/concord/engine/wasm/export"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/media"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/onnx"
	onnxexport "github.com/concord-nn/concord/onnx/export"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/openvx"
	openvxexport "github.com/concord-nn/concord/openvx/export"
	"github.com/concord-nn/concord/pipeline"
	"github.com/concord-nn/concord/pipeline/page"
	"github.com/concord-nn/concord/serve"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
	webnnexport "github.com/concord-nn/concord/webnn/export"
	"github.com/concord-nn/concord/webnn/session"
)

// fallible are the types with methods that can fail, and the functions that can, of all packages that others may import.
var fallible = []any{
	(*concord.Model)(nil), concord.FormatOf, concord.ImportNNEF, concord.Open, concord.OpenFS,
	(*bulk.Job)(nil), bulk.New, bulk.Open,
	(*cvm.Model)(nil), cvm.Admit, cvm.Encode, cvm.Find, cvm.FindFS, cvm.Formal, cvm.Gas, cvm.Load, cvm.Network, cvm.Open, cvm.OpenFS, cvm.Read,
	cvm.ReadSymbol,
	cvmexport.FromGraph, cvmexport.ToGraph,
	(*fault.Error)(nil),
	params.Append, params.Parse,
	(*symbol.Symbol)(nil), symbol.Parse, symbol.ParseAttrs,
	(*engine.NodeError)(nil), (*engine.Program)(nil), (*engine.Session)(nil), engine.Compile,
	(*wasm.Module)(nil), wasm.Compile, wasm.CompileAll, wasm.Evaluation,
	wasmexport.Files,
	(*graph.Builder)(nil), (*graph.Graph)(nil), (*graph.Rewriter)(nil), graph.Print, graph.PrintForm, graph.Rewrite, graph.Verify,
	(*manifest.Audio)(nil), (*manifest.Boxes)(nil), (*manifest.Image)(nil), (*manifest.Manifest)(nil), (*manifest.NotFoundError)(nil), manifest.Find,
	manifest.FindFS, manifest.Load, manifest.Open, manifest.Parse, manifest.ReadLabels,
	(*media.Frames)(nil), media.Boxes, media.BoxesGraph, media.Classes, media.ClassesGraph, media.DecodePicture, media.DecodeWAV, media.DrawBoxes,
	media.DrawTrack, media.ImageGraph, media.OpenPicture, media.OpenSound, media.PrepareAudio, media.PrepareImage, media.RGBA, media.Resample,
	media.SavePNG, media.TrackValue, media.Value,
	(*model.Model)(nil), (*model.Programs)(nil), (*model.RestError)(nil), (*model.Session)(nil),
	(*nnef.File)(nil), (*nnef.Model)(nil), nnef.ExpandBody, nnef.ExpandGraph, nnef.Files, nnef.Load, nnef.Open, nnef.OpenFS, nnef.OpenText, nnef.Parse, nnef.Save,
	nnef.Write, nnef.WriteArchive,
	syntax.Format, syntax.FormatExpr, syntax.FormatQuant, syntax.Parse, syntax.ParseBody, syntax.ParseExpr, syntax.ParseFragments, syntax.ParseQuant,
	(*onnx.Error)(nil), (*onnx.File)(nil), onnx.New, onnx.Open, onnx.OpenFS, onnx.OwnAttribute,
	onnxexport.New,
	(*proto.File)(nil), (*proto.Model)(nil), (*proto.SparseTensor)(nil), (*proto.Tensor)(nil), proto.Decode, proto.DecodeOptional, proto.DecodeSequence,
	proto.DecodeTensor, proto.Encode, proto.EncodeTensor, proto.NewAttribute, proto.NewShape, proto.NewTensor, proto.NewValueInfo, proto.Open, proto.OpenFS, proto.Read, proto.WriteFile,
	(*op.Def)(nil), (*op.Folder)(nil), (*op.Inliner)(nil), (*op.Interpreter)(nil), (*op.Sig)(nil), op.Eval, op.EvalNode, op.NodeCost, op.Of,
	(*openvx.Context)(nil), (*openvx.Delay)(nil), (*openvx.Error)(nil), (*openvx.Graph)(nil), (*openvx.Image)(nil), (*openvx.Kernel)(nil),
	(*openvx.LUT)(nil), (*openvx.MetaFormat)(nil), (*openvx.Node)(nil), (*openvx.ObjectArray)(nil), (*openvx.Parameter)(nil), (*openvx.Scalar)(nil),
	(*openvx.Tensor)(nil), openvx.NewContext, openvx.PatchBytes,
	(*openvxexport.Built)(nil), (*openvxexport.Network)(nil), openvxexport.New,
	(*pipeline.Pipeline)(nil), (*pipeline.Session)(nil), pipeline.Check, pipeline.New, pipeline.NewSession, pipeline.Open, pipeline.OpenFS,
	pipeline.Through, pipeline.Types,
	page.Files,
	(*serve.Server)(nil), serve.New, serve.TLS,
	(*tensor.FormatError)(nil), (*tensor.NPZ)(nil), (*tensor.Tensor)(nil), tensor.Cast, tensor.CastRange, tensor.FromBytes, tensor.FromRaw,
	tensor.FromStrided, tensor.NPYDescr, tensor.NPYOf, tensor.New, tensor.OpenNPZ, tensor.ParseDType, tensor.ReadNPY, tensor.ReadNPZ, tensor.StridedLen,
	tensor.WriteNPY, tensor.WriteNPZ,
	(*webnn.Context)(nil), (*webnn.Error)(nil), (*webnn.GraphBuilder)(nil), (*webnn.Reading)(nil), webnn.NewGraphBuilder, webnn.Try,
	(*webnnexport.Model)(nil), webnnexport.Build, webnnexport.New,
	(*session.CallError)(nil), (*session.Host)(nil), (*session.Recorder)(nil), (*session.Session)(nil), session.Decode, session.DecodeCall,
	session.Load, session.LoadFS,
}

// trusting are methods that are for operators that Bind has accepted.
var trusting = map[string]bool{"op.Def.Applied": true, "op.Def.Cost": true, "op.Def.Draw": true, "op.Def.Kernel": true}

var (
	errorType = reflect.TypeFor[error]()
	given     = []reflect.Value{reflect.ValueOf(context.Background()), reflect.ValueOf(io.Discard)} // what is never nil
)

// TestZeroValues calls all that can fail with nothing: functions with zero arguments and with lists of one zero, methods that can fail of nil, and
// all methods of zero values. None panics.
func TestZeroValues(t *testing.T) {
	t.Chdir(t.TempDir()) // where those write that are given no name
	for _, x := range fallible {
		v := reflect.ValueOf(x)
		if v.Kind() == reflect.Func {
			callWithNothing(t, fallibleName(x), v)
			continue
		}
		for _, receiver := range []reflect.Value{v, reflect.New(v.Type().Elem())} {
			for i := range receiver.NumMethod() {
				m := receiver.Type().Method(i)
				name := fallibleName(x) + "." + m.Name
				if receiver.IsNil() && !canFail(m.Type) || trusting[name] || promoted(receiver, m.Name) {
					continue
				}
				callWithNothing(t, name, receiver.Method(i))
			}
		}
	}
}

// promoted reports whether a method is that of an embedded pointer, which Go follows before the method begins.
func promoted(receiver reflect.Value, method string) bool {
	of := receiver.Type().Elem()
	if of.Kind() != reflect.Struct {
		return false
	}
	for i := range of.NumField() {
		f := of.Field(i)
		if _, has := f.Type.MethodByName(method); f.Anonymous && has {
			return true
		}
	}
	return false
}

func canFail(f reflect.Type) bool { return f.NumOut() > 0 && f.Out(f.NumOut()-1) == errorType }

// callWithNothing calls a function with zero arguments, and with lists of one zero.
func callWithNothing(t *testing.T, name string, f reflect.Value) {
	for _, listed := range []bool{false, true} {
		var in []reflect.Value
		for i := range f.Type().NumIn() {
			arg := f.Type().In(i)
			x := reflect.Zero(arg)
			for _, g := range given {
				if arg.Kind() == reflect.Interface && arg.NumMethod() > 0 && g.Type().Implements(arg) {
					x = g
				}
			}
			if listed && arg.Kind() == reflect.Slice {
				x = reflect.MakeSlice(arg, 1, 1)
			}
			in = append(in, x)
		}
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Errorf("%s, lists of a zero %t: %v", name, listed, p)
				}
			}()
			if f.Type().IsVariadic() {
				f.CallSlice(in)
			} else {
				f.Call(in)
			}
		}()
	}
}

// fallibleName is the name of a function or a type, behind the last element of its package's path.
func fallibleName(x any) string {
	v := reflect.ValueOf(x)
	if v.Kind() == reflect.Func {
		return path.Base(runtime.FuncForPC(v.Pointer()).Name())
	}
	return v.Type().Elem().String()
}

// TestAllFallible finds in the sources what is missing in the list.
func TestAllFallible(t *testing.T) {
	listed := make(map[string]bool)
	for _, x := range fallible {
		listed[fallibleName(x)] = true
	}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			switch name {
			case "cmd", "examples", "bench", "web", "deploy", "docs", "beam", filepath.Join("serve", "clients"):
				return fs.SkipDir // programs, and what is no package of this module
			}
			if base := d.Name(); base == "internal" || base == "testdata" || base != "." && strings.HasPrefix(base, ".") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() || f.Type.TypeParams != nil || f.Type.Results == nil {
				continue
			}
			results := f.Type.Results.List
			if fmt.Sprint(results[len(results)-1].Type) != "error" {
				continue
			}
			own := f.Name.Name
			if f.Recv != nil {
				star, ok := f.Recv.List[0].Type.(*ast.StarExpr)
				if !ok || !ast.IsExported(fmt.Sprint(star.X)) {
					continue
				}
				own = fmt.Sprint(star.X)
			}
			if own = file.Name.Name + "." + own; !listed[own] {
				t.Errorf("%s can fail, and is not in the list", own)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
