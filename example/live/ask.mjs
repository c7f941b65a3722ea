import { request } from "node:http";

/** Asks an environment on its Unix socket; rejects if it does not answer. `body` is undefined if it is not JSON. */
export function ask(socketPath, path, { method = "GET", headers = { "x-environment": "1" } } = {}) {
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath, path, method, headers, timeout: 15_000 }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (chunk) => {
        text += chunk;
      });
      answer.on("error", reject);
      answer.on("end", () => resolve({ status: answer.statusCode, body: parsed(text) }));
    });
    asked.on("timeout", () => asked.destroy(new Error("no answer within 15 s")));
    asked.on("error", reject);
    asked.end();
  });
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    // For example a proxy's page: the status identifies it.
    return undefined;
  }
}
