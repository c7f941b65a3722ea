import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { Stage } from "./stage.ts";

const PRE_COMMIT = "hooks of the repository do not run: pre-commit (husky: touch ran; npm run lint)";
const CHECK = '{"step":"check","name":"pre-commit","command":["sh","-e",".husky/pre-commit"]}';

test("hooks are named by --dry-run, doctor and a start, and do not run; a check of that name replaces the line", {
  timeout: 300_000,
}, async () => {
  using stage = new Stage();
  const lint = { "package.json": '{"scripts": {"lint": "test ! -e bad"}}' };
  stage.repo("app", { "README.md": "# test\n", ...lint, ".husky/pre-commit": `touch ran\nnpm run lint\n` });
  stage.git("app", "config", "core.hooksPath", ".husky");
  stage.agent('fs.writeFileSync(ticket === "T-2" ? "bad" : "good", "x\\n");');
  const batch = stage.batch(["T-1"]);
  const planned = await stage.start([batch, "--dry-run"]).ended;
  expect(planned.stderr).toContain(PRE_COMMIT);
  expect(planned.stderr).toContain(CHECK);
  expect((await stage.start(["doctor", batch]).ended).stdout).toContain("hooks");
  const run = await stage.start([batch, "--headless"]).ended;
  expect(run.code, run.stdout + run.stderr).toBe(0);
  expect(run.stdout + run.stderr).toContain(PRE_COMMIT);
  expect(existsSync(stage.path("app/ran"))).toBe(false);

  const finish = [{ step: "gates" }, JSON.parse(CHECK), { step: "merge" }];
  const checked = await stage.start([stage.batch(["T-2"], { finish, limits: { attempts: 1 } }), "--headless"]).ended;
  expect(checked.code).toBe(1);
  expect(checked.stdout + checked.stderr).not.toContain("hooks of the repository");
  expect(checked.stdout).toContain("pre-commit");
});
