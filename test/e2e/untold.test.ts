import { existsSync, readFileSync, renameSync } from "node:fs";
import { expect, test } from "vitest";
import { HONEST, Stage } from "./stage.ts";

test("a run of a batch whose tickets are done shows the commit and the run that landed each of them", async () => {
  using stage = new Stage();
  stage.repo("app");
  stage.agent(HONEST);
  stage.write("tickets/T-1.md", "---\nrepo: app\n---\n# Do T-1\n");
  stage.write("tickets/T-2.md", "---\nrepo: app\nstate: done\n---\n# Done by a person\n");
  const batch = stage.batch([], { tracker: { kind: "local", path: "tickets" }, tickets: undefined });
  expect((await stage.run([batch, "--headless"])).code).toBe(0);
  const [first] = (await stage.report()).tickets;
  expect(first).toMatchObject({ id: "T-1", mergedSha: stage.git("app", "rev-parse", "main") });
  const run = first?.landedInRun;

  // The third run knows it from the second, which landed nothing.
  for (const _ of ["second", "third"]) {
    const { code, stdout } = await stage.run([batch, "--headless"]);
    expect(code).toBe(0);
    expect(stdout).toContain(`${first?.mergedSha?.slice(0, 7)} by run ${run}  done before this run`);
  }
  const { tickets, ...report } = await stage.report();
  expect(report.run).not.toBe(run);
  expect(tickets).toMatchObject([
    { id: "T-1", state: "done", attempts: 0, mergedSha: first?.mergedSha, landedInRun: run },
    { id: "T-2", state: "done", attempts: 0, mergedSha: null, landedInRun: null },
  ]);
  const html = await stage.run(["report", report.run, "--html"]);
  expect(html.stdout).toContain(`<code>${first?.mergedSha?.slice(0, 10)}</code> <span class="muted">by run ${run}</span>`);
});

const launches = (stdout: string) => stdout.split('"type":"agent-launching"').length - 1;

test("what landed while the tracker was gone is told to it by the next run, and no other agent is paid for it", async () => {
  using stage = new Stage();
  const base = stage.repo("app");
  stage.agent(HONEST);
  stage.write("tickets/T-1.md", "---\nrepo: app\n---\n# Do T-1\n");
  stage.write("take-it-away", "");
  const [tickets, gone, sign] = [stage.path("tickets"), stage.path("gone"), stage.path("take-it-away")];
  const live = ["sh", "-c", `test -e T-1.txt || exit 9; test -e ${sign} || exit 0; rm ${sign}; mv ${tickets} ${gone}`];
  const finish = [{ step: "gates" }, { step: "merge" }, { step: "verify", name: "live", command: live }];
  const batch = stage.batch([], {
    tracker: { kind: "local", path: "tickets" },
    tickets: undefined,
    finish,
    limits: { attempts: 1 },
  });

  const first = await stage.run([batch, "--json"]);
  expect([first.code, launches(first.stdout), stage.landed()]).toEqual([3, 1, ["T-1"]]);
  expect(existsSync(tickets)).toBe(false);
  const tip = stage.git("app", "rev-parse", "main");

  renameSync(gone, tickets);
  expect(readFileSync(`${tickets}/T-1.md`, "utf8")).not.toContain("done");
  const second = await stage.run([batch, "--json"]);
  expect([second.code, second.stderr, launches(second.stdout)]).toEqual([0, "", 0]);
  expect(second.stdout).toContain('"type":"merge-landed"');
  expect(readFileSync(`${tickets}/T-1.md`, "utf8")).toContain("state: done");
  expect((await stage.report()).tickets).toMatchObject([{ id: "T-1", state: "done", mergedSha: tip }]);
  expect([stage.git("app", "rev-parse", "main"), existsSync(`${base}/T-1.txt`)]).toEqual([tip, true]);
});
