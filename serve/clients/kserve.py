"""Asks a server by KServe's own clients, of REST and of gRPC: python3 kserve.py URL ADDRESS CHECKOUT

The server must have the model "small", y = relu(x) of FP32 [1,256]. CHECKOUT is one of github.com/kserve/kserve. Debian has what the clients use:
python3-grpcio python3-protobuf python3-httpx python3-numpy python3-pandas python3-psutil python3-yaml. What only KServe's servers use, and the
package imports all the same, is replaced by nothing here.
"""

import asyncio
import importlib.machinery
import json
import logging
import os
import sys
import types
import warnings
from unittest import mock

url, address, checkout = sys.argv[1:]
folder = os.path.join(checkout, "python", "kserve", "kserve")


def module(name, **members):
    m = types.ModuleType(name)
    m.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=True)
    m.__path__ = []
    m.__dict__.update(members)
    sys.modules[name] = m
    return m


module("kserve").__path__ = [folder]  # without its __init__, which imports the servers
module("kserve.utils").__path__ = [os.path.join(folder, "utils")]
for name in ("kserve.protocol", "kserve.protocol.rest"):
    module(name).__path__ = [os.path.join(folder, *name.split(".")[1:])]
fast = types.SimpleNamespace(loads=json.loads, dumps=lambda v, *_, **__: json.dumps(v).encode(), OPT_SERIALIZE_NUMPY=0, JSONDecodeError=ValueError)
module("orjson", orjson=fast, **vars(fast))
for name in ("cloudevents", "cloudevents.conversion", "cloudevents.http", "fastapi", "fastapi.responses"):
    module(name, to_binary=None, to_structured=None, CloudEvent=None, JSONResponse=None)
module("pydantic", BaseModel=object, StrictBool=bool, StrictInt=int, StrictFloat=float, ConfigDict=dict)

import grpc  # noqa: E402
import httpx  # noqa: E402
import numpy as np  # noqa: E402

import grpc.aio._channel  # noqa: E402

# The stubs were made for a newer grpcio, which these calls do not need: but for an argument that older ones do not have.
made = grpc.aio._channel.Channel.unary_unary
grpc.aio._channel.Channel.unary_unary = lambda self, *args, _registered_method=None, **options: made(self, *args, **options)
with mock.patch("grpc.__version__", "1.64.1"), warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from kserve.inference_client import InferenceGRPCClient, InferenceRESTClient, RESTConfig  # noqa: E402
from kserve.protocol.infer_type import InferInput, InferRequest, RequestedOutput  # noqa: E402

logging.disable(logging.CRITICAL)  # the clients log what they raise
x = ((np.arange(256) - 128) / 8).astype(np.float32).reshape(1, 256)
y = np.maximum(x, 0)


def request(binary, version=None):
    tensor = InferInput("x", [1, 256], "FP32")
    tensor.set_data_from_numpy(x, binary_data=binary)
    return InferRequest(model_name="small", infer_inputs=[tensor], request_id="17", model_version=version,
                        request_outputs=[RequestedOutput("y", {"binary_data": binary})])


def check(answer):
    assert answer.id == "17" and answer.model_name == "small", answer
    got = answer.outputs[0].as_numpy()
    assert got.shape == (1, 256) and got.dtype == np.float32 and (got == y).all(), answer


async def main():
    async with InferenceRESTClient(RESTConfig(protocol="v2")) as client:
        assert await client.is_server_live(url)
        assert await client.is_server_ready(url)
        assert await client.is_model_ready(url, "small")
        for binary in (False, True):
            check(await client.infer(url, request(binary), model_name="small"))
        try:
            await client.infer(url, request(False), model_name="none")
            raise AssertionError("there is no such model")
        except httpx.HTTPStatusError as e:
            assert e.response.status_code == 404 and "none" in e.response.json()["error"], e
    async with InferenceGRPCClient(address) as client:
        assert await client.is_server_live()
        assert await client.is_server_ready()
        assert await client.is_model_ready("small")
        for binary in (False, True):
            check(await client.infer(request(binary)))
        try:
            await client.infer(InferRequest(model_name="none", infer_inputs=request(True).inputs))
            raise AssertionError("there is no such model")
        except grpc.RpcError as e:
            assert e.code() == grpc.StatusCode.NOT_FOUND, e


asyncio.run(main())
with open(os.path.join(checkout, "python", "VERSION"), encoding="ascii") as f:
    print("kserve", f.read().strip(), "grpcio", grpc.__version__, "httpx", httpx.__version__)
