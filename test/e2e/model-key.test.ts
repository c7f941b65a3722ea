import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { json, standIn } from "../../packages/model-gateway/test/stage.ts";
import { eventsOf, Stage } from "./stage.ts";

/** An agent in the place of Claude Code that asks its model again and again, until it gets no answer. */
const ASKS = `#!${process.execPath}
const ask = async () => {
  const { status } = await fetch(process.env.ANTHROPIC_BASE_URL + "/v1/messages", {
    method: "POST",
    body: JSON.stringify({ model: "claude-sonnet-4-5", max_tokens: 1, messages: [] }),
  });
  if (status === 200) return ask();
};
ask();
`;

/** A batch whose agent's key is what this script prints. */
function batchOf(stage: Stage, script: string, port: number): string {
  stage.repo("app");
  stage.write("token.sh", `#!/bin/sh\n${script}\n`, 0o755);
  return stage.batch(["T-1"], {
    agent: {
      ...{ kind: "claude", model: "claude-sonnet-4-5", program: stage.write("bin/claude", ASKS, 0o755) },
      ...{ apiKeySecret: "cloud", baseUrl: `http://127.0.0.1:${port}` },
    },
    secrets: { cloud: { command: ["./token.sh"], expiresAfterMinutes: 0.05 } },
    ...{ sandbox: "required", sandboxPolicy: { read: [dirname(process.execPath)] } },
    limits: { attempts: 1, outageMinutes: 0.03 },
  });
}

const answer = json({ model: "claude-sonnet-4-5", usage: { input_tokens: 1, output_tokens: 1 } });

describe("a model's key that cannot be fetched", { timeout: 240_000 }, () => {
  test("before an agent starts is an outage: the run ends unjudged, and no agent was started", async () => {
    using stage = new Stage();
    const { code, stdout } = await stage.run([batchOf(stage, "echo expired login >&2; exit 1", 1), "--json"]);
    const events = eventsOf(stdout);
    expect(code, stdout).toBe(3);
    expect(events.filter(({ type }) => type === "outage-started")).toMatchObject([{ what: "secret" }]);
    expect(events.filter(({ type }) => type === "agent-launching" || type === "agent-started")).toEqual([]);
    expect(events.filter(({ type }) => type === "attempt-ended")).toMatchObject([{ outcome: "stopped" }]);
  });

  test("while an agent works ends its attempt, which does not count as failed", async () => {
    using stage = new Stage();
    const api = await standIn((...asked) => {
      stage.write("token.sh.over", "");
      answer(...asked);
    });
    const once = 'test -e "$0.over" && exit 1; echo token-of-the-cloud-0123456789';
    const { code, stdout } = await stage.run([batchOf(stage, once, api.port), "--json"]);
    const events = eventsOf(stdout);
    expect(code, stdout).toBe(3);
    expect(api.seen.length).toBeGreaterThan(0);
    const [ended] = events.filter(({ type }) => type === "agent-ended");
    expect(ended).toMatchObject({ stop: { kind: "overloaded", says: expect.stringContaining("could not be fetched") } });
    expect(events.filter(({ type }) => type === "ticket-stalled")).toEqual([]);
    expect(stage.everything()).not.toContain("token-of-the-cloud");
  });
});
