import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { Stage } from "../e2e/stage.ts";
import { programsFolder, whyWithout } from "./programs.ts";
import { anthropicStandIn, chatStandIn, geminiStandIn, responsesStandIn, type Script } from "./stand-in.ts";

const KEY = "sk-of-a-user-0123456789";

/** Writes the file that the check looks for, commits it, and says so. */
const works =
  (tool: (command: string) => { name: string; input: object }): Script =>
  (turn) =>
    turn === 0
      ? { say: "I write it.", tool: tool("echo done > made.txt && git add -A && git commit -qm made") }
      : { say: "It is done.", usage: { input: 1_000, output: 100 } };

const PROGRAMS = {
  claude: {
    api: () => anthropicStandIn(works((command) => ({ name: "Bash", input: { command } }))),
    base: "",
    model: "claude-sonnet-4-5",
  },
  codex: {
    api: () => responsesStandIn(works((cmd) => ({ name: "exec_command", input: { cmd } }))),
    base: "/v1",
    model: "gpt-5.3-codex",
  },
  gemini: {
    api: () => geminiStandIn(works((command) => ({ name: "run_shell_command", input: { command } }))),
    base: "",
    model: "gemini-2.5-pro",
  },
  opencode: {
    api: () => chatStandIn(works((command) => ({ name: "bash", input: { command, description: "a command" } }))),
    base: "/v1",
    model: "gpt-5.3-codex",
  },
} as const;

describe.each(Object.keys(PROGRAMS) as (keyof typeof PROGRAMS)[])("a batch worked by the real %s", (kind) => {
  const missing = whyWithout(kind);
  beforeEach(({ skip }) => skip(missing !== undefined, missing));

  test("ships, is billed as the gateway counts, and nobody but the model's API sees the key", { timeout: 120_000 }, async () => {
    const api = await PROGRAMS[kind].api();
    using stage = new Stage();
    stage.repo("app");
    const batch = stage.batch(["T-1"], {
      agent: {
        kind,
        model: PROGRAMS[kind].model,
        program: join(programsFolder(), "node_modules/.bin", kind),
        apiKeyEnv: "MY_MODEL_KEY",
        baseUrl: `http://127.0.0.1:${api.port}${PROGRAMS[kind].base}`,
      },
      sandbox: "required",
      finish: [
        { step: "gates" },
        { step: "check", name: "made", command: ["grep", "-q", "done", "made.txt"] },
        { step: "merge" },
      ],
    });
    const { code, stdout, stderr } = await stage.run([batch, "--headless"], { MY_MODEL_KEY: KEY });
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(stage.landed()).toEqual(["T-1"]);
    const { costUsd } = await stage.report();
    expect(costUsd).toBeGreaterThan(0.001);
    expect(costUsd).toBeLessThan(0.1);
    expect(stdout).not.toContain(KEY);
    expect(stage.everything()).not.toContain(KEY);
    expect(api.seen.some(({ headers }) => JSON.stringify(headers).includes(KEY))).toBe(true);
  });

  test("does not start without its key", async () => {
    using stage = new Stage();
    stage.repo("app");
    const program = join(programsFolder(), "node_modules/.bin", kind);
    const batch = stage.batch(["T-1"], {
      agent: { kind, model: PROGRAMS[kind].model, program, apiKeyEnv: "MY_MODEL_KEY" },
      sandbox: "required",
    });
    const { code, stderr } = await stage.run([batch, "--headless"]);
    expect(code).toBe(4);
    expect(stderr).toContain("agent.apiKeyEnv names MY_MODEL_KEY, and that variable is not set");
  });
});
