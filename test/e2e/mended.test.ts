import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { eventsOf, HONEST, pidsUnder, Stage, type Started } from "./stage.ts";

function trackerFile(stage: Stage, started: Started): string {
  const first = eventsOf(`${started.stdout().split("\n")[0]}\n`)[0];
  if (first?.type !== "run-started") throw new Error("the run has not begun");
  return stage.path("home", "runs", first.run, "tracker.json");
}

test("a landing cut off between the base and the user's checkout: the next start, even a fresh one, brings the checkout along", async () => {
  using stage = new Stage();
  stage.repo("app");
  stage.agent(HONEST);
  expect((await stage.events(stage.batch(["T-1"]))).code).toBe(0);
  // What kill -9 right after the swap of the base leaves: the ref has moved, index and files have not.
  stage.git("app", "read-tree", "-m", "-u", "main", "main^");
  expect(stage.git("app", "status", "--porcelain")).toContain("D  T-1.txt");
  const { code, stderr } = await stage.events(stage.batch(["T-2"]), "--fresh");
  expect(stderr).toBe("");
  expect(code).toBe(0);
  expect(stage.git("app", "status", "--porcelain")).toBe("");
  expect(existsSync(stage.path("app/T-1.txt"))).toBe(true);
});

test("changes of a person that only look alike still refuse the start", async () => {
  using stage = new Stage();
  stage.repo("app");
  stage.write("app/mine.txt", "x");
  stage.git("app", "add", "-A");
  stage.git("app", "commit", "-qm", "mine, of no ticket");
  stage.git("app", "read-tree", "-m", "-u", "main", "main^");
  stage.agent(HONEST);
  expect((await stage.events(stage.batch(["T-1"]))).code).toBe(4);
});

test("a file name that is not UTF-8 fails the try with a word about it; nothing is lost in silence, and nothing stays behind", async () => {
  using stage = new Stage();
  stage.repo("app");
  stage.agent(`if (!prompt.includes("not UTF-8")) fs.writeFileSync(Buffer.from([0x61, 0xff, 0x62]), "x"); ${HONEST}`);
  const { code, events } = await stage.events(stage.batch(["T-1"]));
  expect(code).toBe(0);
  const failed = events.find((e) => e.type === "attempt-ended" && e.outcome === "failed");
  expect(failed).toMatchObject({ evidence: { summary: expect.stringContaining("not UTF-8") } });
  expect(execFileSync("find", [stage.path("home/worktrees"), "-type", "f"], { encoding: "utf8" })).toBe("");
});

test("an agent that writes Done into the embedded tracker gains nothing", async () => {
  using stage = new Stage();
  stage.repo("app");
  stage.agent(`say("READY"); while (!fs.existsSync("${stage.path("go")}")) await wait(20); process.exitCode = 1;`);
  const run = stage.start([stage.batch(["T-1"]), "--json"]);
  await run.until(/READY/);
  const file = trackerFile(stage, run);
  writeFileSync(file, readFileSync(file, "utf8").replaceAll(/"state": ?"open"/g, '"state":"done"'));
  stage.write("go", "");
  expect((await run.ended).code).toBe(1);
  expect(readFileSync(file, "utf8")).toMatch(/"state": ?"open"/);
});

test("a ticket that landed and could not be asserted is settled when the run continues, not worked again", async () => {
  using stage = new Stage();
  stage.repo("app", {
    "verify.mjs": `import fs from "node:fs"; while (!fs.existsSync("${stage.path("go")}")) await new Promise((r) => setTimeout(r, 20));`,
  });
  stage.agent(HONEST);
  const finish = [{ step: "merge" }, { step: "verify", name: "live", command: [process.execPath, "verify.mjs"] }];
  const batch = stage.batch(["T-1"], { finish });
  const run = stage.start([batch, "--json"]);
  await run.until(/"type":"merge-landed"/);
  const file = trackerFile(stage, run);
  renameSync(file, `${file}.away`);
  stage.write("go", "");
  await run.until(/"type":"outage-ended"/);
  renameSync(`${file}.away`, file);
  expect((await run.ended).code).toBe(3);
  const second = await stage.events(batch);
  expect(second.code).toBe(0);
  expect(second.events.filter((e) => e.type === "agent-launching")).toEqual([]);
  expect(stage.landed()).toEqual(["T-1"]);
});

test("--fresh after kill -9 ends the agents of the run that it gives up, and removes their worktrees", async () => {
  using stage = new Stage();
  stage.repo("app");
  stage.agent(`if (!fs.existsSync("${stage.path("mended")}")) { say("READY"); await wait(600_000); } ${HONEST}`);
  const batch = stage.batch(["T-1"]);
  const run = stage.start([batch, "--json"]);
  await run.until(/READY/);
  run.child.kill("SIGKILL");
  await run.ended;
  expect(pidsUnder(stage.root)).not.toEqual([]);
  stage.write("mended", "");
  expect((await stage.events(batch, "--fresh")).code).toBe(0);
  expect(pidsUnder(stage.root)).toEqual([]);
  expect(stage.git("app", "worktree", "list").split("\n")).toHaveLength(1);
});
