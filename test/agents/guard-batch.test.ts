import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { Stage } from "../e2e/stage.ts";
import { baseUrlOf, KIND_NAMES, KINDS } from "./kinds.ts";
import { programsFolder, whyWithout } from "./programs.ts";
import type { Script, Turn } from "./stand-in.ts";

describe.each(KIND_NAMES)("the guard of the real %s in a batch", (kind) => {
  const missing = whyWithout(kind);
  beforeEach(({ skip }) => skip(missing !== undefined, missing));

  test("is tried, blocks, and is told of in the feed and the report", { timeout: 300_000 }, async () => {
    const { shell } = KINDS[kind];
    const turns: readonly Turn[] = [
      { tool: shell("git reset --hard") },
      { tool: shell("echo wrong > made.txt") },
      { say: "It is done." },
      { tool: shell("echo done > made.txt") },
    ];
    // Where the stop guard cannot send it on, it makes it right at once.
    const script: Script = (turn) => turns[kind === "opencode" && turn === 1 ? 3 : turn] ?? { say: "It is done." };
    const api = await KINDS[kind].standIn(script);
    using stage = new Stage();
    stage.repo("app");
    const program = join(programsFolder(), "node_modules/.bin", kind);
    const model = KINDS[kind].models[0];
    const batch = stage.batch(["T-1"], {
      agent: { kind, model, program, apiKeyEnv: "MY_MODEL_KEY", baseUrl: baseUrlOf(kind, api) },
      sandbox: "required",
      limits: { attempts: 1 },
      finish: [
        { step: "gates" },
        { step: "check", name: "made", command: ["grep", "-c", "done", "made.txt"] },
        { step: "merge" },
      ],
    });
    const { code, stdout, stderr } = await stage.run([batch, "--headless"], { MY_MODEL_KEY: "sk-of-a-user-0123456789" });
    expect(stderr).toBe("");
    expect(code, stdout).toBe(0);
    expect(stdout).not.toContain("guard is dead");
    expect(stdout).toMatch(/T-1 .*guard blocked git-reset: git reset --hard; instead: git stash push/);
    const told = kind === "opencode" ? 0 : 1;
    expect((await stage.report()).guard).toEqual({ blocked: 1, byRule: { "git-reset": 1 }, dead: 0, stopsTold: told });
    if (told === 1) expect(stdout).toMatch(/T-1 .*stop guard: check made fails, told 1 of 2/);
  });
});
