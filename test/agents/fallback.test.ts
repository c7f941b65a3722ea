import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { eventsOf, Stage } from "../e2e/stage.ts";
import { programsFolder, whyWithout } from "./programs.ts";
import { anthropicStandIn } from "./stand-in.ts";

describe("the real claude with two accounts", () => {
  const missing = whyWithout("claude");
  beforeEach(({ skip }) => skip(missing !== undefined, missing));

  test("goes on with the second while the first is rate limited, and keeps both keys", { timeout: 240_000 }, async () => {
    const limited = await anthropicStandIn(() => ({ status: 429, error: "used up", headers: { "retry-after": "3600" } }));
    const free = await anthropicStandIn((turn) =>
      turn === 0
        ? {
            say: "I write it.",
            tool: { name: "Bash", input: { command: "echo done > made.txt && git add -A && git commit -qm made" } },
          }
        : { say: "It is done.", usage: { input: 1_000, output: 100 } },
    );
    using stage = new Stage();
    stage.repo("app");
    const batch = stage.batch(["T-1"], {
      agent: {
        kind: "claude",
        model: "claude-sonnet-4-5",
        program: join(programsFolder(), "node_modules/.bin/claude"),
        apiKeyEnv: "FIRST_KEY",
        baseUrl: `http://127.0.0.1:${limited.port}`,
        fallback: [{ apiKeyEnv: "SECOND_KEY", baseUrl: `http://127.0.0.1:${free.port}` }],
      },
      sandbox: "required",
      finish: [
        { step: "gates" },
        { step: "check", name: "made", command: ["grep", "-q", "done", "made.txt"] },
        { step: "merge" },
      ],
    });
    const env = { FIRST_KEY: "sk-first-0123456789abcdef", SECOND_KEY: "sk-second-0123456789abcdef" };
    const { code, stdout, stderr } = await stage.run([batch, "--json"], env);
    expect([code, stderr]).toEqual([0, ""]);
    const switched = eventsOf(stdout).filter(({ type }) => type === "account-switched");
    expect(switched).toMatchObject([{ party: "agent", from: 0, to: 1, name: expect.stringContaining("SECOND_KEY") }]);
    for (const key of Object.values(env)) expect(stdout).not.toContain(key);
  });
});
