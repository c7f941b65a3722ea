import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { RunReport } from "../../src/domain/results/report.ts";
import { Stage } from "./stage.ts";

/** Each run changes something: a file that grows. */
const GROWING = `fs.appendFileSync(ticket + ".txt", process.pid + "\\n"); say("wrote " + ticket);`;

test("a run stands beside the runs of its batch file before it: printed, as JSON, as Markdown and as a page", async () => {
  using stage = new Stage();
  stage.repo("app");
  stage.agent(GROWING);
  const batch = stage.batch([{ id: "T-1", title: `<script>alert("T-1")</script>` }]);
  const first = await stage.run([batch, "--headless"]);
  expect(first).toMatchObject({ code: 0, stdout: expect.not.stringContaining("last 2 runs") });
  const second = await stage.run([batch, "--headless"]);
  expect(second.stdout).toMatch(/last 2 runs: interventions ▁▁ {2}0 0 · cost \$ ▁▁ {2}0\.00 0\.00\n/);
  const report: RunReport = JSON.parse((await stage.run(["report", "--json"])).stdout);
  expect(report.trend).toMatchObject([
    { complete: true, interventions: 0, shipped: 1, tickets: 1, sameBatch: true },
    { complete: true, interventions: 0, shipped: 1, tickets: 1, sameBatch: true, run: report.run },
  ]);
  expect((await stage.run(["report", "--md"])).stdout).toContain("- last 2 runs: interventions ▁▁");

  const page = await stage.run(["report", "--html"]);
  expect(page).toMatchObject({ code: 0, stderr: "" });
  expect(page.stdout).toMatch(/^<!doctype html>\n/);
  expect(page.stdout).toMatch(/<\/html>\n$/);
  expect(page.stdout).toContain("✔ DONE, says the oracle");
  expect(page.stdout).toContain("&lt;script&gt;alert(&quot;T-1&quot;)&lt;/script&gt;");
  expect(page.stdout).not.toContain("<script");
  expect(page.stdout).toContain("change since");
}, 300_000);

test("a run that goes on has a page that says so", async () => {
  using stage = new Stage();
  stage.repo("app");
  stage.agent(
    `say("at it"); while (!fs.existsSync(${JSON.stringify(stage.path("go"))})) await wait(20); fs.writeFileSync("a", "b");`,
  );
  const batch = stage.batch(["T-1"]);
  const run = stage.start([batch, "--headless"]);
  await run.until(/T-1 .*attempt 1 begins/);
  const page = await stage.run(["report", "--html"]);
  expect(page.stdout).toContain("● RUNNING");
  expect(page.stdout).toContain("The run continues: this page shows it as it stood at");
  writeFileSync(stage.path("go"), "");
  expect(await run.ended).toMatchObject({ code: 0 });
  expect((await stage.run(["report", "--html"])).stdout).toContain("✔ DONE, says the oracle");
}, 300_000);
