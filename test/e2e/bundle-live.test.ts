import { execFileSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { verified } from "./bundle-stage.ts";
import { HONEST, Stage } from "./stage.ts";

test("a run that goes on is checked and archived as it stands, and says so", { timeout: 300_000 }, async () => {
  using stage = new Stage();
  stage.repo("app");
  const go = JSON.stringify(stage.path("go"));
  stage.agent(`${HONEST} say("READY"); if (ticket === "T-2") while (!fs.existsSync(${go})) await wait(20);`);
  const batch = stage.batch(["T-1", { id: "T-2", dependsOn: ["T-1"] }]);
  const run = stage.start([batch, "--json"]);
  await run.until(/"type":"activity".*"ticket":"T-2"|"ticket":"T-2".*"text":"READY"/);
  await run.until(/"type":"attempt-bundled"/);
  const { code, found } = await verified(stage, []);
  expect({ code, found }).toMatchObject({
    code: 0,
    found: { ended: false, bundles: 1, problems: [], notes: [expect.stringContaining("T-2, attempt 1")] },
  });
  const archived = await stage.run(["report", "--bundle", "out"]);
  expect(archived.stderr).toContain("the run goes on: the archive has it up to row ");
  expect(await verified(stage, [archived.stdout.trimEnd()])).toMatchObject({ code: 0, found: { ended: false, problems: [] } });
  writeFileSync(stage.path("go"), "");
  expect(await run.ended).toMatchObject({ code: 0, stderr: "" });
  expect(await verified(stage, [])).toMatchObject({ code: 0, found: { ended: true, bundles: 2, notes: [] } });
});

test("what runs after an attempt leaves the files of the attempt alone", { timeout: 300_000 }, async () => {
  using stage = new Stage();
  stage.repo("app");
  stage.agent(HONEST);
  stage.write(
    "verify.sh",
    `#!/bin/sh\necho looked\ntest -e ${stage.path("live")} || { : > ${stage.path("live")}; exit 1; }\n`,
    0o755,
  );
  const batch = stage.batch(["T-1"], {
    live: { repeats: 3, everySeconds: 0.1 },
    finish: [{ step: "merge" }, { step: "verify", name: "live", command: ["{batch}/verify.sh"] }],
  });
  const { code, events } = await stage.events(batch);
  expect(code).toBe(0);
  expect(events.map(({ type }) => type)).toContain("live-check-ended");
  const [later = ""] = globSync("runs/*/tickets/T-1/attempt-1/later/verify-live.log", { cwd: stage.home });
  expect(readFileSync(join(stage.home, later), "utf8")).toContain("looked");
  expect(await verified(stage, [])).toMatchObject({ code: 0, found: { problems: [], bundles: 1 } });
  const { stdout } = await stage.run(["report", "--bundle", "out"]);
  expect(execFileSync("tar", ["tzf", stdout.trimEnd()], { encoding: "utf8" })).toContain("/later/verify-live.log");
});
