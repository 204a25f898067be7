// The worker of chromium.mjs: runs models of Concord and of onnxruntime-web in turns.
import * as ort from "/ort/ort.wasm.bundle.min.mjs";
import { alternate } from "/script/models.mjs";

onmessage = async ({ data: { threads, rounds, exact, models } }) => {
  try {
    ort.env.wasm.numThreads = threads;
    ort.env.wasm.wasmPaths = "/ort/";
    ort.env.logLevel = "error";
    const results = [];
    for (const { i, values } of models) {
      const { load } = await import(`/model/${i}/model.js`);
      const model = await load(exact ? { threads, exact } : { threads });
      const session = await ort.InferenceSession.create(`/model/${i}/model.onnx`, { executionProviders: ["wasm"], logSeverityLevel: 3 });
      const inputs = model.inputs.map((input, k) => ({ ...input, name: session.inputNames.includes(input.name) ? input.name : session.inputNames[k] }));
      results.push({ i, exact: model.exact, used: model.threads, inputs, ...(await alternate(ort, model, session, values, rounds)) });
      model.close();
      await session.release();
    }
    postMessage(results);
  } catch (e) {
    postMessage({ error: `${e}\n${e.stack}` });
  }
};
