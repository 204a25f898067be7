// What a page of web-platform-tests reports: its results, as one message to the server when the harness has finished.
setup({ output: false, timeout_multiplier: 3 }); // as several pages share few processors

add_completion_callback((tests, status) => {
  const statuses = ["PASS", "FAIL", "TIMEOUT", "NOTRUN", "PRECONDITION_FAILED"];
  const result = {
    url: location.pathname + location.search,
    status: ["OK", "ERROR", "TIMEOUT", "PRECONDITION_FAILED"][status.status],
    message: status.message ?? "",
    subtests: tests.map((t) => ({ name: t.name, status: statuses[t.status], message: t.message ?? "" })),
  };
  fetch("/-/report", { method: "POST", body: JSON.stringify(result) });
});
