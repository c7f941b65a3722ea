import { existsSync } from "node:fs";
import { beforeEach, expect, test } from "vitest";
import { findSandbox } from "../../src/adapters/sandbox/find-sandbox.ts";
import { eventsOf, Stage } from "./stage.ts";

const KEY = { MY_MODEL_KEY: "sk-of-a-user-0123456789" };

/** An agent that speaks like Claude Code, and logs its session as Claude Code does: an answer that cost 30 dollars. */
const AGENT = `#!${process.execPath}
const fs = require("node:fs");
fs.writeFileSync(process.env.LOOPDASH_TICKET + ".txt", "done\\n");
const folder = process.env.CLAUDE_CONFIG_DIR + "/projects/app";
fs.mkdirSync(folder, { recursive: true });
const usage = { input_tokens: 10_000_000, output_tokens: 0 };
const message = { id: "msg_own", model: "claude-sonnet-4-5", usage };
fs.writeFileSync(folder + "/own.jsonl", JSON.stringify({ type: "assistant", timestamp: new Date().toISOString(), message }) + "\\n");
console.log(JSON.stringify({ type: "system", folder }));
console.log(JSON.stringify({ type: "result", is_error: false, total_cost_usd: 0.5, result: "done" }));
`;

/** A line of a session that somebody had today, of so many dollars. */
function session(usd: number): string {
  const message = { id: "msg_1", model: "claude-sonnet-4-5", usage: { input_tokens: (usd / 3) * 1_000_000, output_tokens: 0 } };
  return `${JSON.stringify({ type: "assistant", timestamp: new Date().toISOString(), requestId: "req_1", message })}\n`;
}

function batchOf(stage: Stage, limits: Record<string, unknown> = {}, over: Record<string, unknown> = {}): string {
  const program = stage.write("bin/claude", AGENT, 0o755);
  return stage.batch(["T-1", "T-2"], {
    agent: { kind: "claude", program, apiKeyEnv: "MY_MODEL_KEY" },
    sandbox: "required",
    limits: { workers: 1, usdPerAttempt: 2, usdPerTicket: 5, usdPerDay: 5, ...limits },
    ...over,
  });
}

const launches = (stdout: string) => eventsOf(stdout).filter((event) => event.type === "agent-launching").length;

beforeEach(async ({ skip }) => {
  const found = await findSandbox({ path: process.env["PATH"] ?? "", state: "/nowhere", hide: [] });
  skip(!found.ok, found.ok ? "" : `no sandbox: ${found.why}`);
});

test("the day's money is less by what other sessions have cost, where the batch wants that; else it is not", async () => {
  using stage = new Stage();
  stage.repo("app");
  stage.write(".claude/projects/-home-me/one.jsonl", session(3.6));
  const counted = await stage.run([batchOf(stage, { countOtherSessions: true }), "--json"], KEY);
  expect([counted.code, counted.stderr, launches(counted.stdout)]).toEqual([1, "", 0]);
  expect((await stage.report()).reason).toContain("one more attempt could exceed limits.usdPerDay ($5)");
  const enough = await stage.run([batchOf(stage, { countOtherSessions: true, usdPerDay: 6.5 }), "--json"], KEY);
  expect([enough.code, enough.stderr, launches(enough.stdout)]).toEqual([0, "", 2]);
});

test("nobody looks at other sessions unless the batch says so", async () => {
  using stage = new Stage();
  stage.repo("app");
  stage.write(".claude/projects/-home-me/one.jsonl", "no JSON\n");
  const { code, stdout } = await stage.run([batchOf(stage), "--json"], KEY);
  expect([code, launches(stdout)]).toEqual([0, 2]);
});

test("what the run's own agents log is not among them: each is told another folder", async () => {
  using stage = new Stage();
  stage.repo("app");
  const { code, stdout } = await stage.run([batchOf(stage, { countOtherSessions: true }), "--json"], KEY);
  // Each of them has logged thirty dollars, and the day has five.
  expect([code, launches(stdout)]).toEqual([0, 2]);
  expect(existsSync(stage.path(".claude"))).toBe(false);
  // With the budget of a new run it is the same: only what the run booked is counted.
  const more = await stage.run(
    [batchOf(stage, { countOtherSessions: true }, { tickets: [{ id: "T-3", title: "More" }] }), "--json"],
    KEY,
  );
  expect([more.code, launches(more.stdout)]).toEqual([0, 1]);
});

test.for([
  ["a line that is not JSON", "half a line\n", "line 1 is not JSON"],
  [
    "a model without a price",
    session(3).replace("claude-sonnet-4-5", "other-model"),
    'no price is known for the model "other-model"',
  ],
] as const)("%s: nothing starts, and the file is named", async ([, text, why]) => {
  using stage = new Stage();
  stage.repo("app");
  const file = stage.write(".claude/projects/-home-me/one.jsonl", text);
  const { code, stdout, stderr } = await stage.run([batchOf(stage, { countOtherSessions: true }), "--json"], KEY);
  expect([code, stdout]).toEqual([4, ""]);
  expect(stderr).toContain("what other sessions have cost today is not known");
  expect(stderr).toContain(`${file}: ${why}`);
  expect(stderr).toContain("limits.countOtherSessions to false");
  expect(existsSync(stage.home)).toBe(false);
});

test("a batch whose programs log nothing that can be counted is refused when it is read", async () => {
  using stage = new Stage();
  stage.repo("app");
  stage.agent("");
  const { code, stderr } = await stage.run([stage.batch(["T-1"], { limits: { countOtherSessions: true } })]);
  expect(code).toBe(2);
  expect(stderr).toContain("only for claude and codex");
});
