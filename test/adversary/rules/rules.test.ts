import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROOT } from "../../../scripts/build/bundle.ts";
import { isTriedWithout } from "../holes-share.ts";
import type { Rule } from "./rule.ts";
import { RULES } from "./rules.ts";
import type { HoledAnswer, HoledResult } from "./run-holed.child.ts";

/** Only ends what hangs: a build and a whole run of the program, on a machine that others use. */
const TIMEOUT_MS = 300_000;

let runner: ChildProcess;

beforeAll(async () => {
  const { PATH = "", HOME = "", TMPDIR = "/tmp" } = process.env;
  const env = { PATH, HOME, TMPDIR, LANG: "C.UTF-8" };
  runner = fork(join(import.meta.dirname, "run-holed.child.ts"), {
    cwd: ROOT,
    env,
    execArgv: [],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  await nextMessage();
});

afterAll(async () => {
  const ended = once(runner, "exit");
  runner.disconnect();
  await ended;
});

/** The runner's next message; rejects if it ends without one. */
async function nextMessage(): Promise<unknown> {
  const stop = new AbortController();
  const { signal } = stop;
  const ended = once(runner, "exit", { signal }).then(() => Promise.reject(new Error("the test runner has ended")));
  const [message] = await Promise.race([once(runner, "message", { signal }), ended]);
  ended.catch(() => "aborted below");
  stop.abort();
  return message;
}

/** The tests that a rule names, run without what enforces the rule. */
async function withoutDefence(rule: Rule): Promise<readonly HoledResult[]> {
  runner.send(rule);
  const answer = (await nextMessage()) as HoledAnswer;
  if ("error" in answer) throw new Error(answer.error);
  return answer.results;
}

describe("without what enforces it, its test fails:", () => {
  test.each(RULES.filter(({ rule }) => isTriedWithout(rule)))("$rule", { timeout: TIMEOUT_MS }, async (rule) => {
    const results = await withoutDefence(rule);
    expect(results.map(({ name }) => name)).toEqual([expect.stringContaining(rule.test)]);
    expect(results[0]?.state).toBe("failed");
    expect(results[0]?.why, "it fails by what it expects").not.toMatch(/is not defined|is not a function|Unexpected|SyntaxError/);
  });
});
