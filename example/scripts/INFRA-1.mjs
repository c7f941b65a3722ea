/**
 * Configuration from the environment. At first it evaluates a variable's value, to tell numbers from text. The review says that
 * this lets anyone who sets a variable run code, so then it parses.
 */
export async function work(kit) {
  await kit.read("src/config.js");
  await kit.read("config/default.json");
  await kit.think("SHOP__HTTP__PORT=9000 becomes http.port: two underscores go one level down", 600);
  const told = /environment\.js/.test(kit.evidence);
  if (told) await kit.think("Evaluating text from outside is no way to read a number: parse it", 500);
  await kit.write("src/environment.js", told ? ENVIRONMENT : ENVIRONMENT.replace(PARSES, () => EVALUATES));
  await kit.write("src/environment.test.js", TESTS);
  if (await kit.test()) await kit.commit("Read configuration from the environment");
}

const PARSES = "return /^-?\\d{1,15}$/.test(text) ? Number(text) : text;";
const EVALUATES = 'return /^-?\\d+(?!\\.)\\b/.test(text) ? Function("return " + text)() : text;';

const ENVIRONMENT = `/**
 * Variables that begin with \`prefix__\` as nested configuration: SHOP__HTTP__PORT=9000 gives {http: {port: 9000}}.
 * Whole numbers, true and false are taken as such, everything else as text.
 */
export function fromEnvironment(env, prefix) {
  const config = {};
  for (const name of Object.keys(env).sort()) {
    if (!name.startsWith(\`\${prefix}__\`)) continue;
    const path = name.slice(prefix.length + 2).toLowerCase().split("__");
    put(config, path, toValue(env[name]));
  }
  return config;
}

function put(target, [key, ...rest], value) {
  if (rest.length === 0) {
    target[key] = value;
    return;
  }
  if (typeof target[key] !== "object") target[key] = {};
  put(target[key], rest, value);
}

function toValue(text) {
  if (text === "true" || text === "false") return text === "true";
  return /^-?\\d{1,15}$/.test(text) ? Number(text) : text;
}
`;

const TESTS = `import assert from "node:assert/strict";
import { test } from "node:test";
import { fromEnvironment } from "./environment.js";

test("goes one level down at two underscores", () => {
  const env = { SHOP__HTTP__PORT: "9000", SHOP__HTTP__HOST: "h", SHOP__WORKERS: "3", PATH: "/bin" };
  assert.deepEqual(fromEnvironment(env, "SHOP"), { http: { port: 9000, host: "h" }, workers: 3 });
});

test("tells numbers and truth from text", () => {
  assert.deepEqual(fromEnvironment({ A__X: "true", A__Y: "1.5", A__Z: "" }, "A"), { x: true, y: "1.5", z: "" });
});
`;
