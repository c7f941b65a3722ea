import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { Stage } from "../e2e/stage.ts";
import { baseUrlOf, KIND_NAMES, KINDS, works } from "./kinds.ts";
import { programsFolder, whyWithout } from "./programs.ts";

const KEY = "sk-of-a-user-0123456789";

describe.each(KIND_NAMES)("a batch worked by the real %s", (kind) => {
  const missing = whyWithout(kind);
  beforeEach(({ skip }) => skip(missing !== undefined, missing));

  test("ships, is billed as the gateway counts, and nobody but the model's API sees the key", { timeout: 300_000 }, async () => {
    const api = await KINDS[kind].standIn(works(kind, "echo done > made.txt && git add -A && git commit -qm made"));
    using stage = new Stage();
    stage.repo("app");
    const batch = stage.batch(["T-1"], {
      agent: {
        kind,
        model: KINDS[kind].models[0],
        program: join(programsFolder(), "node_modules/.bin", kind),
        apiKeyEnv: "MY_MODEL_KEY",
        baseUrl: baseUrlOf(kind, api),
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
      agent: { kind, model: KINDS[kind].models[0], program, apiKeyEnv: "MY_MODEL_KEY" },
      sandbox: "required",
    });
    const { code, stderr } = await stage.run([batch, "--headless"]);
    expect(code).toBe(4);
    expect(stderr).toContain("agent.apiKeyEnv names MY_MODEL_KEY, and that variable is not set");
  });
});
