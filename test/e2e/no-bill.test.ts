import { expect, test } from "vitest";
import { Stage } from "./stage.ts";

/** Looks like a key, and must be seen nowhere. */
const VALUE = "sk-never-to-be-seen-0123456789";
const key = { ANTHROPIC_API_KEY: VALUE };

test("a batch of commands in a sandbox without a host: nothing in it could use the key, or knows it", async () => {
  using stage = new Stage();
  stage.repo("app");
  stage.agent(`fs.writeFileSync(ticket + ".txt", JSON.stringify(process.env));`);
  stage.write("app/.git/info/exclude", ".env\n");
  stage.write("app/.env", `OPENAI_API_KEY=${VALUE}\n`);
  stage.batch(["T-1"], { sandbox: "required", sandboxPolicy: { read: ["agent.mjs"] } });
  expect((await stage.run(["batch.json", "--dry-run"], key)).stderr).not.toContain("refused");
  const { code, stderr } = await stage.run(["batch.json", "--headless"], key);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stage.git("app", "show", "main:T-1.txt")).not.toContain(VALUE);
  const doctor = await stage.run(["doctor", "batch.json"], key);
  expect(doctor.stdout).toMatch(/ok +stray-keys .*nothing in the sandbox of this batch could use it/);
  for (const over of [
    { sandbox: "off" },
    { sandboxPolicy: { read: ["agent.mjs"], hosts: { agent: ["api.anthropic.com"] } } },
    { reviewer: { kind: "codex", program: "/bin/true", apiKeyEnv: "MINE", model: "gpt-5.6" } },
  ]) {
    stage.batch(["T-1"], { sandbox: "required", ...over });
    const { stderr: says } = await stage.run(["batch.json", "--dry-run"], { ...key, MINE: VALUE });
    expect(says).toContain("a start would be refused: ANTHROPIC_API_KEY");
  }
});
