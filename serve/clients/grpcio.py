"""Asks a server by Python's grpcio: python3 grpcio.py ADDRESS [PROTO]

The server must have the model "small", y = relu(x) of FP32 [1,256]. Messages are made of inference.proto by protoc. Debian has all of it:
python3-grpcio python3-protobuf protobuf-compiler.
"""

import os
import struct
import subprocess
import sys
import tempfile
import threading

import google.protobuf
import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

address = sys.argv[1]
proto = sys.argv[2] if len(sys.argv) > 2 else os.path.join(os.path.dirname(__file__), "../internal/rpc/inference.proto")

# The messages of the protocol, and those of health checks, which are two fields.
with tempfile.NamedTemporaryFile() as f:
    subprocess.run(["protoc", "-I", os.path.dirname(os.path.abspath(proto)), "-o", f.name, os.path.abspath(proto)], check=True)
    files = descriptor_pb2.FileDescriptorSet.FromString(f.read()).file
health = descriptor_pb2.FileDescriptorProto(name="health.proto", package="grpc.health.v1", syntax="proto3")
field = descriptor_pb2.FieldDescriptorProto
for name, member, kind in (("HealthCheckRequest", "service", field.TYPE_STRING), ("HealthCheckResponse", "status", field.TYPE_INT32)):
    health.message_type.add(name=name).field.add(name=member, number=1, type=kind, label=field.LABEL_OPTIONAL)
pool = descriptor_pool.DescriptorPool()
for file in [*files, health]:
    pool.Add(file)


def message(name):
    return message_factory.MessageFactory(pool).GetPrototype(pool.FindMessageTypeByName(name))


channel = grpc.insecure_channel(address, options=[("grpc.max_receive_message_length", -1)])
service = pool.FindServiceByName("inference.GRPCInferenceService")


def method(name):
    """A method of the service, called with the fields of its request."""
    m = service.methods_by_name[name]
    request, response = message(m.input_type.full_name), message(m.output_type.full_name)
    call = channel.unary_unary("/inference.GRPCInferenceService/" + name, request.SerializeToString, response.FromString)
    return lambda timeout=10, metadata=(), compression=None, **fields: call(
        request(**fields), timeout=timeout, metadata=metadata, compression=compression, wait_for_ready=True)


def fails(code, call, **fields):
    try:
        call(**fields)
    except grpc.RpcError as e:
        assert e.code() == code and e.details(), e
        return
    raise AssertionError("the call does not fail")


assert method("ServerLive")().live
assert method("ServerReady")().ready
assert method("ServerMetadata")().name == "concord"
assert method("ModelReady")(name="small").ready
model = method("ModelMetadata")(name="small")
assert [(t.name, t.datatype, list(t.shape)) for t in model.inputs] == [("x", "FP32", [1, 256])], model
assert method("ModelConfig")(name="small").config.input[0].name == "x"
assert [m.name for m in method("RepositoryIndex")(ready=True).models] == ["small"]
fails(grpc.StatusCode.NOT_FOUND, method("ModelReady"), name="none")
fails(grpc.StatusCode.NOT_FOUND, method("ModelMetadata"), name="small", version="99")

infer = method("ModelInfer")
x = [(i - 128) / 8 for i in range(256)]
y = [max(v, 0) for v in x]
raw = struct.pack("<256f", *x)
tensor = dict(name="x", datatype="FP32", shape=[1, 256])

answer = infer(model_name="small", id="17", inputs=[tensor], raw_input_contents=[raw])
assert answer.id == "17" and list(answer.outputs[0].shape) == [1, 256]
assert list(struct.unpack("<256f", answer.raw_output_contents[0])) == y
answer = infer(model_name="small", inputs=[dict(tensor, contents=dict(fp32_contents=x))])
assert list(answer.outputs[0].contents.fp32_contents) == y and not answer.raw_output_contents
answer = infer(model_name="small", inputs=[tensor], outputs=[dict(name="y")], raw_input_contents=[raw], compression=grpc.Compression.Gzip)
assert list(struct.unpack("<256f", answer.raw_output_contents[0])) == y
fails(grpc.StatusCode.NOT_FOUND, infer, model_name="none", inputs=[tensor], raw_input_contents=[raw])
fails(grpc.StatusCode.INVALID_ARGUMENT, infer, model_name="small", inputs=[tensor], raw_input_contents=[raw[:-1]])
fails(grpc.StatusCode.INVALID_ARGUMENT, infer, model_name="small", inputs=[dict(tensor, datatype="BYTES")], raw_input_contents=[raw])
fails(grpc.StatusCode.INVALID_ARGUMENT, infer, model_name="small", inputs=[tensor], outputs=[dict(name="z")], raw_input_contents=[raw])

# Many calls at once, and a stream.
errors = []


def many():
    try:
        for _ in range(50):
            assert infer(model_name="small", inputs=[tensor], raw_input_contents=[raw]).outputs[0].name == "y"
    except Exception as e:  # pylint: disable=broad-except
        errors.append(e)


threads = [threading.Thread(target=many) for _ in range(8)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert not errors, errors

Request, Response = message("inference.ModelInferRequest"), message("inference.ModelStreamInferResponse")
stream = channel.stream_stream("/inference.GRPCInferenceService/ModelStreamInfer", Request.SerializeToString, Response.FromString)
requests = [Request(model_name="none" if i == 3 else "small", id=str(i), inputs=[tensor], raw_input_contents=[raw]) for i in range(10)]
answers = list(stream(iter(requests), timeout=10))
assert [a.infer_response.id for a in answers] == [str(i) for i in range(10)]
assert [bool(a.error_message) for a in answers] == [i == 3 for i in range(10)]

statistics = method("ModelStatistics")(name="small").model_stats[0]
assert statistics.inference_count >= 400 and statistics.inference_stats.success.count >= 400, statistics

check = channel.unary_unary("/grpc.health.v1.Health/Check", message("grpc.health.v1.HealthCheckRequest").SerializeToString,
                            message("grpc.health.v1.HealthCheckResponse").FromString)
assert check(message("grpc.health.v1.HealthCheckRequest")(), timeout=10).status == 1
watch = channel.unary_stream("/grpc.health.v1.Health/Watch", message("grpc.health.v1.HealthCheckRequest").SerializeToString,
                             message("grpc.health.v1.HealthCheckResponse").FromString)
watching = watch(message("grpc.health.v1.HealthCheckRequest")(), timeout=10)
assert next(watching).status == 1
watching.cancel()
fails(grpc.StatusCode.UNIMPLEMENTED, lambda: channel.unary_unary("/inference.GRPCInferenceService/LogSettings")(b"", timeout=10))

print("grpcio", grpc.__version__, "protobuf", google.protobuf.__version__)
