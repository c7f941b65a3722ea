import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { eventsOf, HONEST, PROGRAM, Stage } from "./stage.ts";

test("a batch with dependencies ends with exit 0, merged code, a clean checkout and nothing left behind", async () => {
  using stage = new Stage(PROGRAM);
  stage.repo("app");
  stage.agent(HONEST);
  const batch = stage.batch([
    "T-1",
    { id: "T-2", dependsOn: ["T-1"] },
    { id: "T-3", dependsOn: ["T-1"] },
    { id: "T-4", dependsOn: ["T-2", "T-3"] },
  ]);
  const { code, events, stderr } = await stage.events(batch);
  expect(stderr).toBe("");
  expect(code).toBe(0);
  const landed = stage.landed();
  expect(landed).toHaveLength(4);
  expect([landed[0], landed[3]]).toEqual(["T-1", "T-4"]);
  expect(stage.git("app", "status", "--porcelain")).toBe("");
  expect(readdirSync(stage.path("app")).filter((f) => f.endsWith(".txt"))).toEqual(["T-1.txt", "T-2.txt", "T-3.txt", "T-4.txt"]);
  expect(stage.git("app", "branch", "--list", "loopdash/*")).toBe("");
  expect(stage.git("app", "worktree", "list").split("\n")).toHaveLength(1);
  expect(events.map((e) => e.seq)).toEqual(events.map((_, i) => i + 1));
  const last = events.findLast((e) => e.type === "oracle-judged");
  expect(last).toMatchObject({ final: true, judgement: { verdict: "done" } });
});

test("lines, JSON, report and status tell the same story", async () => {
  using stage = new Stage(PROGRAM);
  stage.repo("app");
  stage.agent(HONEST);
  const batch = stage.batch(["T-1", "T-2"]);
  const { code, stdout } = await stage.run([batch, "--headless"]);
  expect(code).toBe(0);
  expect(stdout).toContain("✔ DONE, says the oracle");
  const report = await stage.report();
  expect(report).toMatchObject({ batch: "test", verdict: "done", exitCode: 0, interventions: { total: 0 }, sandboxed: false });
  for (const ticket of report.tickets) {
    expect(ticket).toMatchObject({ state: "done", attempts: 1 });
    expect(stage.git("app", "merge-base", "--is-ancestor", ticket.mergedSha as string, "main")).toBe("");
    expect(stdout).toContain(`${ticket.id}  Do ${ticket.id}  ${ticket.mergedSha?.slice(0, 7)}`);
  }
  const status = await stage.run(["status", "--json"]);
  expect(JSON.parse(status.stdout)).toMatchObject({ live: false, counts: { done: 2 }, end: { exitCode: 0 } });
  const runs = JSON.parse((await stage.run(["runs", "--json"])).stdout);
  expect(runs).toMatchObject([{ run: report.run, verdict: "done", exitCode: 0 }]);
  const md = await stage.run(["report", "--md"]);
  expect(md.stdout).toContain("## Shipped");
  const oracle = await stage.run(["oracle", batch]);
  expect(oracle.code).toBe(0);
  expect(await stage.run(["attach"])).toMatchObject({ code: 0 });
});

test("a folder of Markdown tickets is worked, and the people's files hold the truth afterwards", async () => {
  using stage = new Stage(PROGRAM);
  stage.repo("app");
  stage.agent(HONEST);
  stage.write("tickets/T-1.md", "# First\n\nWrite a file.\n");
  stage.write("tickets/T-2.md", "---\ndependsOn: [T-1]\nowner: ann # theirs\n---\n# Second\n");
  stage.write("tickets/T-3.md", "---\nstate: human-gated\nhumanStep: sign the contract\n---\n# Third\n");
  const batch = stage.batch([], { tracker: { kind: "local", path: "tickets" } });
  const { code, stderr } = await stage.events(batch);
  expect(stderr).toBe("");
  expect(code).toBe(0);
  const { readFileSync } = await import("node:fs");
  expect(readFileSync(stage.path("tickets/T-2.md"), "utf8")).toMatch(/owner: ann # theirs\n(.*\n)*state: done/);
  expect((await stage.report()).tickets.map((t) => t.state)).toEqual(["done", "done", "human-gated"]);
  expect((await stage.run(["oracle", batch])).code).toBe(0);
});

test("a failed try's evidence reaches the next prompt, and its change as a patch to read", async () => {
  using stage = new Stage(PROGRAM);
  stage.repo("app", {
    "check.mjs":
      'import fs from "node:fs"; if (fs.readFileSync("T-1.txt","utf8") !== "right\\n") { console.log("T-1.txt is wrong: 417 teapots"); process.exit(3); }\n',
  });
  stage.agent(`
    const knows = prompt.includes("417 teapots") && prompt.includes("exited with code 3");
    const patch = /reading only: (.*)/.exec(prompt)?.[1];
    if (attempt > 1 && !fs.readFileSync(patch, "utf8").includes("+wrong")) throw new Error("no patch");
    fs.writeFileSync("T-1.txt", knows ? "right\\n" : "wrong\\n");`);
  const finish = [
    { step: "gates" },
    { step: "check", name: "tests", command: [process.execPath, "check.mjs"] },
    { step: "merge" },
  ];
  // The script of the check reads the file, so it judges.
  const { code, events } = await stage.events(stage.batch([{ id: "T-1", allow: { judge: ["T-1.txt"] } }], { finish }));
  expect(code).toBe(0);
  expect(events.filter((e) => e.type === "attempt-ended").map((e) => e.outcome)).toEqual(["failed", "done"]);
  expect((await stage.report()).fixAndProceed).toBe(1);
});

test("two tickets on one exclusive resource never overlap, though slots are free", async () => {
  using stage = new Stage(PROGRAM);
  stage.repo("app");
  stage.agent(`await wait(150); ${HONEST}`);
  const { code, stdout } = await stage.events(
    stage.batch([{ id: "T-1", exclusive: ["db"] }, { id: "T-2", exclusive: ["db"] }, "T-3"]),
  );
  expect(code).toBe(0);
  const marks = eventsOf(stdout).flatMap((e) =>
    e.type === "attempt-claimed" || e.type === "attempt-ended" ? [{ type: e.type, ticket: e.ticket }] : [],
  );
  const db = marks.filter((m) => m.ticket !== "T-3").map((m) => m.type);
  expect(db).toEqual(["attempt-claimed", "attempt-ended", "attempt-claimed", "attempt-ended"]);
});

test("tickets of two repositories are worked in one batch", async () => {
  using stage = new Stage(PROGRAM);
  stage.repo("app");
  stage.repo("infra");
  stage.agent(HONEST);
  const repos = { app: { path: "app" }, infra: { path: "infra" } };
  const tickets = [
    { id: "T-1", repo: "app" },
    { id: "T-2", repo: "infra", dependsOn: ["T-1"] },
  ];
  expect((await stage.events(stage.batch(tickets, { repos }))).code).toBe(0);
  expect([stage.landed("app"), stage.landed("infra")]).toEqual([["T-1"], ["T-2"]]);
});

test("the order follows what earlier runs took", async () => {
  using stage = new Stage(PROGRAM);
  stage.repo("app");
  stage.agent(`await wait(ticket === "T-2" ? 2_000 : 1); fs.writeFileSync(ticket + ".txt", String(Date.now()));`);
  const batch = stage.batch(["T-1", "T-2"], { limits: { workers: 1 } });
  const order = async () => (await stage.events(batch)).events.flatMap((e) => (e.type === "attempt-claimed" ? [e.ticket] : []));
  expect(await order()).toEqual(["T-1", "T-2"]);
  expect(await order()).toEqual(["T-2", "T-1"]);
});
