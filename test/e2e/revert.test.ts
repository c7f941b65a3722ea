import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { until } from "./actors.ts";
import { Stage } from "./stage.ts";

const PERSON = { GIT_AUTHOR_NAME: "t", GIT_AUTHOR_EMAIL: "t@t", GIT_COMMITTER_NAME: "t", GIT_COMMITTER_EMAIL: "t@t" };
const TESTS = { "test/a.test.mjs": 'import test from "node:test"; test("a", () => {});\n' };
const CHECK = { step: "check", name: "tests", command: ["node", "--test"] };
const FINISH = [{ step: "gates" }, CHECK, { step: "merge" }];

/** Each ticket brings a module and its test; T-3 builds on what T-1 has brought. */
const AGENT = `
fs.mkdirSync("src", { recursive: true });
const needs = ticket === "T-3" ? 'export * from "./T-1.mjs";\\n' : "";
fs.writeFileSync("src/" + ticket + ".mjs", needs + "export const value = 1;\\n");
fs.writeFileSync("test/" + ticket + ".test.mjs",
  'import test from "node:test"; import assert from "node:assert"; import { value } from "../src/' + ticket + '.mjs";\\n' +
  'test("' + ticket + '", () => assert.equal(value, 1));\\n');
`;

/** A run of these tickets, kept in a folder, that has ended as done; gives its name. */
async function shipped(stage: Stage, ids: readonly string[], over: object = {}): Promise<{ run: string; batch: string }> {
  stage.repo("app", TESTS);
  stage.agent(AGENT);
  for (const id of ids) {
    const needs = id === "T-3" ? "dependsOn: [T-1]\n" : "";
    stage.write(`tickets/${id}.md`, `---\nid: ${id}\nstate: open\n${needs}---\n# Do ${id}\n`);
  }
  const batch = stage.batch([], { finish: FINISH, tracker: { kind: "local", path: "tickets" }, ...over });
  const { code, stderr } = await stage.run([batch, "--headless"]);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return { run: (await stage.report()).run, batch };
}

const ticketFile = (stage: Stage, id: string) => readFileSync(stage.path("tickets", `${id}.md`), "utf8");

describe("loopdash revert", { timeout: 300_000 }, () => {
  test("takes back one landed ticket of an ended run, through the checks, and opens it again", async () => {
    using stage = new Stage();
    const { run } = await shipped(stage, ["T-1", "T-2"]);
    const { stdout: summary } = await stage.run(["attach", run]);
    expect(summary).toMatch(/T-1 {2}Do T-1 {2}[0-9a-f]{7} {2}\+3 −0(?: · tests \+1 −0)? {2}1 attempt/);
    const [, log = ""] = /landed: {4}(git .*)/.exec(summary) ?? [];
    expect(execFileSync("sh", ["-c", log], { encoding: "utf8" }).trim().split("\n")).toHaveLength(2);
    const head = stage.git("app", "rev-parse", "main");
    const { code, stdout, stderr } = await stage.run(["revert", run, "T-1"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).not.toContain("NOT DONE");
    expect(stdout).toMatch(/loopdash: T-1 is open again: [0-9a-f]{12} is reverted by [0-9a-f]{12}; its check passes without/);
    expect(stage.git("app", "log", "-1", "--format=%s|%(trailers:key=Loopdash-Ticket,valueonly,separator=)", "main")).toBe(
      'Revert "Do T-1" (T-1)|T-1',
    );
    expect(stage.git("app", "log", "-1", "--format=%b", "main")).toContain(", as a person asked.");
    expect(stage.git("app", "rev-parse", "main^")).toBe(head);
    expect(stage.git("app", "ls-tree", "-r", "--name-only", "main").split("\n")).toEqual([
      "src/T-2.mjs",
      "test/T-2.test.mjs",
      "test/a.test.mjs",
    ]);
    expect(existsSync(stage.path("app", "src/T-1.mjs"))).toBe(false);
    expect(ticketFile(stage, "T-1")).toContain("state: open");
    expect(ticketFile(stage, "T-1")).toMatch(/reverts [0-9a-f]{12}: a person took its landed change back/);
    const report = await stage.report();
    expect(report.interventions).toMatchObject({ total: 1, work: 1, byClass: { I7: 1 } });
    expect(report.tickets).toMatchObject([
      { id: "T-1", state: "open", mergedSha: null, attempts: 0 },
      { id: "T-2", state: "done" },
    ]);
    expect((await stage.run(["report", "--md"])).stdout).toMatch(/reverted by [0-9a-f]{7} because a person asked/);

    const again = await stage.run(["revert", run, "T-1"]);
    expect(again.code).toBe(4);
    expect(again.stderr).toMatch(/T-1 was reverted already, by [0-9a-f]{12}/);
    // The other ticket of the first run is still there to be taken back by that run's name.
    expect((await stage.run(["revert", run, "T-2"])).code).toBe(0);
    // The first run's own command has nothing left to take back, so it is tried on a copy of what it left.
    const [, back = ""] = /take back: (git .*)/.exec(summary) ?? [];
    stage.git("app", "branch", "-f", "keep", "main");
    stage.git("app", "reset", "-q", "--hard", head);
    execFileSync("sh", ["-c", back], { env: { ...process.env, ...PERSON }, stdio: "pipe" });
    expect(stage.git("app", "diff", "--stat", "main", "keep")).toBe("");
    expect(stage.git("app", "ls-tree", "-r", "--name-only", "main")).toBe("test/a.test.mjs");
  });

  test("changes nothing if the revert conflicts, or if a check fails without the change", async () => {
    using stage = new Stage();
    const { run } = await shipped(stage, ["T-1", "T-2", "T-3"]);
    stage.write("app/src/T-2.mjs", "export const value = 1;\nexport const more = 2;\n");
    stage.git("app", "commit", "-qam", "more");
    const head = stage.git("app", "rev-parse", "main");
    const conflict = await stage.run(["revert", run, "T-2"]);
    expect(conflict).toMatchObject({ code: 1, stderr: expect.stringContaining("conflicts with later changes in src/T-2.mjs") });
    const red = await stage.run(["revert", run, "T-1"]);
    expect(red).toMatchObject({ code: 1, stderr: expect.stringMatching(/check tests fails without the change/) });
    expect(stage.git("app", "rev-parse", "main")).toBe(head);
    expect(ticketFile(stage, "T-1")).toContain("state: done");
    expect((await stage.report()).interventions).toMatchObject({ total: 0 });
    const other = await stage.run(["revert", run, "T-9"]);
    expect(other).toMatchObject({ code: 4, stderr: expect.stringContaining("there is no ticket T-9 in this batch") });
  });

  test("that is killed is neither lost nor doubled", async () => {
    using stage = new Stage();
    const go = stage.path("go");
    const slow = { ...CHECK, command: ["sh", "-c", `node --test && while test -e ${go}; do sleep 0.05; done`] };
    const { run } = await shipped(stage, ["T-1", "T-2"], { finish: [{ step: "gates" }, slow, { step: "merge" }] });
    writeFileSync(go, "");
    const cut = stage.start(["revert", run, "T-1"]);
    await cut.until(/being reverted/);
    cut.child.kill("SIGKILL");
    await cut.ended;
    expect(stage.git("app", "log", "-1", "--format=%s", "main")).not.toContain("Revert");
    const other = await stage.run(["revert", run, "T-2"]);
    expect(other).toMatchObject({ code: 4, stderr: expect.stringContaining("is not over") });
    rmSync(go);
    const { code, stderr, stdout } = await stage.run(["revert", run, "T-1"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).not.toContain("attempt begins");
    expect(stage.git("app", "log", "--format=%s", "main").match(/Revert/g)).toHaveLength(1);
    expect((await stage.report()).interventions).toMatchObject({ byClass: { I5: 1, I7: 1 } });
  });

  test("goes to the engine of a run that is at work", async () => {
    using stage = new Stage();
    stage.repo("app", TESTS);
    stage.agent(`${AGENT}\nif (ticket === "T-2") while (!fs.existsSync(${JSON.stringify(stage.path("go"))})) await wait(50);`);
    const batch = stage.batch(["T-1", "T-2"], { finish: FINISH });
    const work = stage.start([batch, "--headless"]);
    await until(() => existsSync(stage.path("app", ".git")) && stage.landed().includes("T-1"), "the landing of T-1");
    await work.until(/T-1 .*\bdone\b/);
    const early = await stage.run(["revert", "test", "T-2"]);
    expect(early).toMatchObject({ code: 4, stderr: expect.stringContaining("T-2 has not landed: it is working") });
    const { code, stdout } = await stage.run(["revert", "test", "T-1"]);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining("T-1 is open again") });
    writeFileSync(stage.path("go"), "");
    // The run goes on until the ticket is done once more.
    expect((await work.ended).code).toBe(0);
    expect(stage.landed().toSorted()).toEqual(["T-1", "T-1", "T-1", "T-2"]);
    expect((await stage.report()).interventions).toMatchObject({ total: 1, byClass: { I7: 1 } });
  });
});
