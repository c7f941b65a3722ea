import { existsSync, readFileSync, renameSync } from "node:fs";
import { expect, test } from "vitest";
import { HONEST, Stage } from "./stage.ts";

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
