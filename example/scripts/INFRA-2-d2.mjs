import { spawn } from "node:child_process";
import { once } from "node:events";

/**
 * Validation of the configuration. At first it starts a server as a test and waits for it in silence, with a child process
 * running. Once it knows that it was ended for its silence, it runs only the tests.
 */
export async function work(kit) {
  await kit.read("src/environment.js");
  await kit.read("src/config.js");
  if (!/printed nothing|silen/i.test(kit.evidence)) {
    await kit.think("Let me start a server with a bad configuration and see what it says", 300);
    const server = spawn(process.execPath, ["-e", "setTimeout(() => {}, 600_000)"], { cwd: kit.cwd, stdio: "ignore" });
    kit.say(`Server started (process ${server.pid}), waiting until it is ready`);
    await once(server, "exit");
    return;
  }
  await kit.think("No server this time: the last try hung on it. The tests can tell as well", 500);
  await kit.write("src/validate.js", VALIDATE);
  await kit.write("src/validate.test.js", TESTS);
  if (await kit.test()) await kit.commit("Check the configuration before it is used");
}

const VALIDATE = `import { mergeConfig } from "./config.js";
import { fromEnvironment } from "./environment.js";

/** What is wrong with a configuration: one line per key that is missing, unknown or of another type than in \`shape\`. */
export function problems(config, shape, path = "") {
  const keys = [...new Set([...Object.keys(shape), ...Object.keys(config)])].sort();
  return keys.flatMap((key) => {
    const at = path === "" ? key : \`\${path}.\${key}\`;
    if (!(key in shape)) return [\`\${at} is not a known key\`];
    if (!(key in config)) return [\`\${at} is missing\`];
    if (typeof shape[key] === "object" && typeof config[key] === "object") return problems(config[key], shape[key], at);
    return typeof config[key] === shape[key] ? [] : [\`\${at} must be a \${typeof shape[key] === "object" ? "group" : shape[key]}\`];
  });
}

/** Defaults with the environment over them. Throws with every problem at once. */
export function loadConfig(defaults, env, shape) {
  const config = mergeConfig(defaults, fromEnvironment(env, "SHOP"));
  const found = problems(config, shape);
  if (found.length > 0) throw new RangeError(found.join("; "));
  return config;
}
`;

const TESTS = `import assert from "node:assert/strict";
import { test } from "node:test";
import { loadConfig, problems } from "./validate.js";

const shape = { http: { host: "string", port: "number" }, workers: "number" };
const defaults = { http: { host: "shop.example", port: 8080 }, workers: 2 };

test("a good configuration has no problems", () => {
  assert.deepEqual(problems(defaults, shape), []);
  assert.equal(loadConfig(defaults, { SHOP__WORKERS: "5" }, shape).workers, 5);
});

test("names each problem by its path", () => {
  assert.deepEqual(problems({ http: { host: 1 }, colour: "red" }, shape), [
    "colour is not a known key",
    "http.host must be a string",
    "http.port is missing",
    "workers is missing",
  ]);
});

test("throws with every problem at once", () => {
  assert.throws(() => loadConfig(defaults, { SHOP__HTTP__PORT: "x", SHOP__SIZE: "9" }, shape), /http\\.port.*size/);
});
`;
