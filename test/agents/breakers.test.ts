import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { Stage } from "../e2e/stage.ts";
import { programsFolder, whyWithout } from "./programs.ts";
import { anthropicStandIn, type Script } from "./stand-in.ts";

describe("a batch worked by the real claude, whose API will not have it", () => {
  const missing = whyWithout("claude");
  beforeEach(({ skip }) => skip(missing !== undefined, missing));

  /** Three tickets, one worker. */
  async function batchWith(stage: Stage, script: Script): Promise<string> {
    const api = await anthropicStandIn(script);
    stage.repo("app");
    return stage.batch(["T-1", "T-2", "T-3"], {
      agent: {
        kind: "claude",
        model: "claude-sonnet-4-5",
        program: join(programsFolder(), "node_modules/.bin/claude"),
        apiKeyEnv: "MY_MODEL_KEY",
        baseUrl: `http://127.0.0.1:${api.port}`,
      },
      sandbox: "required",
      limits: { workers: 1 },
    });
  }
  const KEY = { MY_MODEL_KEY: "sk-of-a-user-0123456789" };

  test("a key that is refused: one attempt for the whole batch, exit 1, and what to do", { timeout: 300_000 }, async () => {
    using stage = new Stage();
    const batch = await batchWith(stage, () => ({ status: 401, error: "invalid x-api-key" }));
    const run = stage.start([batch, "--json"], KEY);
    const { code, stdout } = await run.ended;
    expect(code).toBe(1);
    expect(stdout.split('"type":"agent-launching"')).toHaveLength(2);
    expect((await stage.report()).reason).toMatch(
      /^no agent starts any more \(authentication\): .*use an API key that the model's API accepts/,
    );
  });

  test("a limit that is used up: the run waits as long as the API asks, and burns no attempt", { timeout: 300_000 }, async () => {
    using stage = new Stage();
    const batch = await batchWith(stage, () => ({ status: 429, error: "used up", headers: { "retry-after": "3600" } }));
    const run = stage.start([batch, "--json"], KEY);
    await run.until(/"type":"backoff-started".*\n/);
    const events = run
      .stdout()
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const held = events.find((event) => event.type === "backoff-started");
    const ended = events.find((event) => event.type === "agent-ended");
    expect(ended.stop).toMatchObject({ kind: "rate-limited", retryAfterMs: 3_600_000 });
    expect(held.until).toBe(ended.at + 3_600_000);
    const { stdout } = await stage.run(["status"]);
    expect(stdout).toContain("the model's API is rate limited until ");
    run.child.kill("SIGTERM");
    expect((await run.ended).code).toBe(130);
    expect(run.stdout().split('"type":"agent-launching"')).toHaveLength(2);
  });
});
