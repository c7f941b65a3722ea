import { expect, test } from "vitest";
import { HONEST, Stage } from "./stage.ts";

const PACKAGE = JSON.stringify({ name: "app", type: "module", scripts: { test: "node --test" } });
const TEST = 'import { test } from "node:test";\ntest("one", () => {});\n';

test("a rehearsal works one ticket once in a copy, shows what would have landed, and lands nothing", {
  timeout: 120_000,
}, async () => {
  using stage = new Stage();
  stage.repo("app", { "package.json": PACKAGE, "one.test.mjs": TEST });
  const before = stage.git("app", "for-each-ref");
  stage.agent(HONEST);
  const tickets = [{ id: "T-1" }, { id: "T-2", dependsOn: ["T-1"] }];
  const verify = { step: "verify", command: ["sh", "-c", `touch ${stage.path("deployed")}`] };
  const finish = [{ step: "check", name: "tests", command: ["npm", "test"] }, { step: "merge" }, verify, { step: "assert" }];
  const batch = stage.batch(tickets, { finish, limits: { attempts: 3 } });
  const { code, stdout, stderr } = await stage.run([batch, "--only", "T-2", "--rehearse"]);
  expect(code, stdout + stderr).toBe(0);
  expect(stdout).toContain("rehearsal: nothing has landed in app, and no tracker or forge was told. This would have:");
  const [, place = "", sha = ""] = /git -C (\S+) show (\w{12})\n/.exec(stdout) ?? [];
  expect(stage.git(place.slice(stage.root.length + 1), "show", "--stat", "--format=%s", sha)).toContain("T-2.txt");
  expect(stage.git("app", "for-each-ref")).toBe(before);
  expect(stage.git("app", "status", "--porcelain")).toBe("");
  await expect(stage.run(["status", "test rehearsal"])).resolves.toMatchObject({ code: 0 });
  // The batch itself has no run, and begins with its first ticket.
  const run = await stage.events(batch);
  expect(run.code).toBe(0);
  expect(run.events.filter(({ type }) => type === "attempt-claimed")).toHaveLength(2);
});

test("a rehearsal copies the base of a shallow clone", { timeout: 120_000 }, async () => {
  using stage = new Stage();
  stage.repo("whole", { "package.json": PACKAGE, "one.test.mjs": TEST });
  stage.git("whole", "commit", "--quiet", "--allow-empty", "-m", "second");
  stage.git("whole", "clone", "--quiet", "--depth", "1", `file://${stage.path("whole")}`, stage.path("app"));
  stage.agent(HONEST);
  const { code, stdout, stderr } = await stage.run([stage.batch(["T-1"]), "--only", "T-1", "--rehearse"]);
  expect(code, stdout + stderr).toBe(0);
  expect(stdout).toContain("This would have:");
});

test("a rehearsal of a change that fails its check ends with 1, and one of no ticket is refused", {
  timeout: 120_000,
}, async () => {
  using stage = new Stage();
  stage.repo("app", { "package.json": PACKAGE, "one.test.mjs": TEST });
  stage.agent('fs.writeFileSync("one.test.mjs", "throw new Error()");');
  const batch = stage.batch(["T-1"], { limits: { attempts: 3 } });
  const failed = await stage.run([batch, "--only", "T-1", "--rehearse"]);
  expect(failed.code).toBe(1);
  expect(failed.stdout).not.toContain(".rehearsal");
  expect(failed.stdout).toContain("attempts 1 ");
  expect(failed.stdout).toContain("no tracker or forge was told. Nothing would have.");
  expect(await stage.run([batch, "--only", "T-9", "--rehearse"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("there is no ticket T-9 to rehearse"),
  });
  expect((await stage.run([batch, "--only", "T-1"])).code).toBe(2);
});

test("a second rehearsal of a batch leaves the copy of the first alone, and is refused", { timeout: 120_000 }, async () => {
  using stage = new Stage();
  stage.repo("app", { "package.json": PACKAGE, "one.test.mjs": TEST });
  const go = stage.path("go");
  stage.agent(`say("READY"); while (!fs.existsSync(${JSON.stringify(go)})) await wait(20); ${HONEST}`);
  const batch = stage.batch(["T-1"]);
  const first = stage.start([batch, "--only", "T-1", "--rehearse", "--json"]);
  await first.until(/"type":"activity"[^\n]*READY/);
  expect(await stage.run([batch, "--only", "T-1", "--rehearse"])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining("this batch is being rehearsed already"),
  });
  stage.write("go", "");
  expect((await first.ended).code).toBe(0);
});
