import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { findSandbox } from "../../src/adapters/sandbox/find-sandbox.ts";
import { anthropicStandIn } from "../agents/stand-in.ts";
import { HONEST, Stage } from "./stage.ts";

/** A program that speaks like Claude Code: the body gives its result. */
const program = (body: string): string => `#!${process.execPath}
const fs = require("node:fs");
const prompt = fs.readFileSync(process.env.LOOPDASH_PROMPT, "utf8");
const nonce = /^LOOPDASH ANSWER BEGIN (\\w+)$/m.exec(prompt)[1], tree = /It is commit (\\w+)/.exec(prompt)[1];
const pass = JSON.stringify({ nonce, tree, findings: [], verdict: "pass" });
const answer = "LOOPDASH ANSWER BEGIN " + nonce + "\\n" + pass + "\\nLOOPDASH ANSWER END " + nonce;
const say = (result) => console.log(JSON.stringify({ type: "result", total_cost_usd: 0, ...result }));
${body}
`;
/** What its API answers counts, not what it prints: so it asks. */
const REFUSED = program(`
const asked = { method: "POST", headers: { "content-type": "application/json" }, body: '{"model":"m","max_tokens":9,"messages":[]}' };
fetch(process.env.ANTHROPIC_BASE_URL + "/v1/messages", asked).finally(() => {
  say({ is_error: true, api_error_status: 401, result: "invalid x-api-key" }); process.exitCode = 1;
});`);
const PASSES = program("say({ is_error: false, result: answer });");
const KEY = { MY_REVIEW_KEY: "sk-of-the-reviewer-0123456789" };

const launches = (stdout: string) => stdout.split('"type":"agent-launching"').length - 1;

beforeEach(async ({ skip }) => {
  const found = await findSandbox({ path: process.env["PATH"] ?? "", state: "/nowhere", hide: [] });
  skip(!found.ok, found.ok ? "" : `no sandbox: ${found.why}`);
});

async function reviewedBatch(stage: Stage, over: Record<string, unknown> = {}): Promise<string> {
  stage.repo("app");
  stage.agent(HONEST);
  return batchAgain(stage, over);
}

/** A batch whose reviewer's API refuses every key. */
async function batchAgain(stage: Stage, over: Record<string, unknown> = {}): Promise<string> {
  const { port } = await anthropicStandIn(
    () => ({ say: "never" }),
    () => false,
  );
  const model = { apiKeyEnv: "MY_REVIEW_KEY", baseUrl: `http://127.0.0.1:${port}` };
  return stage.batch(["T-1", "T-2"], {
    reviewer: { kind: "claude", program: stage.path("bin/claude"), ...model, usdPerReview: 1 },
    sandbox: "required",
    limits: { workers: 1 },
    finish: [{ step: "gates" }, { step: "review" }, { step: "merge" }],
    ...over,
  });
}

test("a reviewer's key that is refused parks the run; with a key that is taken the same command lands what was built", async () => {
  using stage = new Stage();
  stage.write("bin/claude", REFUSED, 0o755);
  const batch = await reviewedBatch(stage);
  const first = await stage.run([batch, "--json"], KEY);
  expect([first.code, first.stderr]).toEqual([1, ""]);
  const { reason, tickets } = await stage.report();
  expect(reason).toContain("no agent starts any more (the reviewer: authentication): invalid x-api-key");
  expect(reason).toContain("use an API key that the reviewer's API accepts, then run the same command again");
  expect(launches(first.stdout)).toBeLessThanOrEqual(2);
  expect(tickets.map(({ state }) => state)).toEqual(["open", "open"]);
  expect(stage.landed()).toEqual([]);

  stage.write("bin/claude", PASSES, 0o755);
  const second = await stage.run([batch, "--json"], KEY);
  expect([second.code, second.stderr]).toEqual([0, ""]);
  // Each ticket has had one agent, in one run or the other.
  expect(launches(first.stdout) + launches(second.stdout)).toBe(2);
  expect(launches(first.stdout)).toBeGreaterThan(0);
  expect(stage.landed().toSorted()).toEqual(["T-1", "T-2"]);
  for (const id of ["T-1", "T-2"]) expect(existsSync(join(stage.path("app"), `${id}.txt`))).toBe(true);
});

test("what was built for a ticket that has changed since is not taken along", async () => {
  using stage = new Stage();
  stage.write("bin/claude", REFUSED, 0o755);
  const first = await stage.run([await reviewedBatch(stage), "--json"], KEY);
  expect(first.code).toBe(1);
  stage.write("bin/claude", PASSES, 0o755);
  const changed = ["T-1", "T-2"].map((id) => ({ id, title: `Do ${id}`, body: "and more" }));
  const second = await stage.run([await batchAgain(stage, { tickets: changed }), "--json"], KEY);
  expect([second.code, launches(second.stdout)]).toEqual([0, 2]);
});
