/**
 * A log of requests. At first it reads LOG_LEVEL while it is loaded, and only its tests set that: it passes and lands, and does not
 * start on dev. Once it knows why the change was reverted, it has a default.
 */
export async function work(kit) {
  await kit.read("src/config.js");
  const told = /LOG_LEVEL|toLowerCase|revert/i.test(kit.evidence);
  if (told) await kit.think("dev sets no LOG_LEVEL: without one, info is printed", 500);
  else await kit.think("One line per request; LOG_LEVEL says how much of it", 400);
  await kit.write("src/log.js", told ? LOG : LOG.replace(WITH_DEFAULT, WITHOUT));
  await kit.write("src/log.test.js", TESTS);
  if (await kit.test()) await kit.commit("Log requests as JSON lines");
}

const WITH_DEFAULT = '(process.env.LOG_LEVEL ?? "info").toLowerCase()';
const WITHOUT = "process.env.LOG_LEVEL.toLowerCase()";

const LOG = `const LEVELS = ["error", "info", "debug"];
const level = LEVELS.indexOf((process.env.LOG_LEVEL ?? "info").toLowerCase());

/** A request as a line of JSON; undefined if its level is not printed. */
export function logLine({ time, method, path, status }) {
  const own = status >= 500 ? "error" : "info";
  return LEVELS.indexOf(own) > level ? undefined : JSON.stringify({ time, level: own, method, path, status });
}
`;

const TESTS = `import assert from "node:assert/strict";
import { test } from "node:test";

process.env.LOG_LEVEL = "error";
const { logLine } = await import("./log.js");

test("prints what went wrong", () => {
  const line = logLine({ time: 0, method: "GET", path: "/", status: 500 });
  assert.equal(line, '{"time":0,"level":"error","method":"GET","path":"/","status":500}');
});

test("leaves out what is below LOG_LEVEL", () => {
  assert.equal(logLine({ time: 0, method: "GET", path: "/", status: 200 }), undefined);
});
`;
