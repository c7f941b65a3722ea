import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { HONEST, pidsUnder, Stage } from "./stage.ts";

/** A stage whose `verify` passes while a file `up` exists, or from its n-th run on. */
function scene(over: Record<string, unknown> = {}, from = 99) {
  const stage = new Stage();
  onTestFinished(() => stage[Symbol.dispose]());
  stage.repo("app");
  stage.agent(`fs.appendFileSync("${stage.path("calls")}", ticket + "\\n"); ${HONEST}`);
  const look = stage.write(
    "look.mjs",
    `import fs from "node:fs";
fs.appendFileSync("${stage.path("looks")}", "look\\n");
const looks = fs.readFileSync("${stage.path("looks")}", "utf8").split("\\n").length - 1;
console.log("the page answered 503");
while (fs.existsSync("${stage.path("hang")}")) await new Promise((resolve) => setTimeout(resolve, 20));
process.exit(fs.existsSync("${stage.path("up")}") || looks >= ${from} ? 0 : 1);
`,
  );
  const finish = [{ step: "gates" }, { step: "merge" }, { step: "verify", name: "live", command: [process.execPath, look] }];
  const batch = stage.batch(
    [
      { id: "T-1", finish },
      { id: "T-2", dependsOn: ["T-1"] },
    ],
    {
      limits: { attempts: 1 },
      live: { repeats: 2, everySeconds: 0.1 },
      ...over,
    },
  );
  const lines = (name: string) => (existsSync(stage.path(name)) ? readFileSync(stage.path(name), "utf8").trim().split("\n") : []);
  return { stage, batch, finish, calls: () => lines("calls"), looks: () => lines("looks").length };
}

describe("a verify that fails after the landing", () => {
  test("once, is repeated: two tickets, two agents, exit 0", async () => {
    const { stage, batch, calls } = scene({}, 2);
    const { code, stdout } = await stage.run([batch, "--headless"]);
    expect(code).toBe(0);
    expect(calls()).toEqual(["T-1", "T-2"]);
    expect(stage.landed()).toEqual(["T-1", "T-2"]);
    expect(stdout).toMatch(/T-1 {2}≈ attempt ended: it landed, and is not live/);
    expect(stdout).toMatch(/T-1 {2}✔ live: the check passed/);
    expect(await stage.report()).toMatchObject({ claims: { made: 2, upheld: 2, gap: 0 } });
  });

  test("for good, is told with what landed, the last output and the command; that command and the next run go on from it", async () => {
    const { stage, batch, calls } = scene();
    const first = await stage.run([batch, "--headless"]);
    expect(first.code).toBe(1);
    const sha = stage.git("app", "rev-parse", "main");
    expect(first.stdout).toContain("0 shipped, 0 left to a person, 2 open (1 landed, not live)");
    expect(first.stdout).toMatch(new RegExp(`≈ T-1 .*landed as ${sha.slice(0, 7)}, not live: 4 live checks in a row failed`));
    expect(first.stdout).toContain("| the page answered 503");
    const report = await stage.report();
    expect(report.tickets[0]).toMatchObject({
      state: "open",
      landed: { sha, failedChecks: 4, lastCheck: { ok: false, output: expect.stringContaining("503") } },
    });
    expect(await stage.run(["verify", "test", "T-2"])).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/T-2[\s\S]*has not landed/),
    });
    const [, command = ""] = /repeat with: loopdash (verify \S+ T-1)/.exec(first.stdout) ?? [];
    for (const format of ["--md", "--html"])
      expect((await stage.run(["report", format])).stdout).toContain("repeat with: loopdash");

    const again = await stage.run(command.split(" "));
    expect(again.code).toBe(1);
    expect(calls()).toEqual(["T-1"]);

    writeFileSync(stage.path("up"), "");
    // The other ticket is open, but all that was checked is live.
    expect(await stage.run(["verify"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/1 ticket checked at [\d:]+, 1 live/),
    });
    expect((await stage.report()).tickets).toMatchObject([{ state: "done", mergedSha: sha }, { state: "open" }]);
    expect(calls()).toEqual(["T-1"]);

    expect((await stage.run([batch, "--headless"])).code).toBe(0);
    expect(calls()).toEqual(["T-1", "T-2"]);
  });

  test("is looked at again by loopdash verify after all is done, whenever it is asked, for all or for one ticket", async () => {
    const { stage, batch, calls, looks } = scene();
    writeFileSync(stage.path("up"), "");
    expect((await stage.run([batch, "--headless"])).code).toBe(0);
    const before = looks();
    const said = /1 ticket checked at \d\d:\d\d:\d\d, 1 live/;
    expect(await stage.run(["verify"])).toMatchObject({ code: 0, stdout: expect.stringMatching(said) });
    expect(await stage.run(["verify", "test", "T-1"])).toMatchObject({ code: 0, stdout: expect.stringMatching(said) });
    expect(looks() - before).toBe(2);
    expect((await stage.run(["verify", "test", "T-2"])).stdout).toContain('nothing was checked: T-2 has no "verify" step');
    rmSync(stage.path("up"));
    const failed = await stage.run(["verify"]);
    expect(failed.code).toBe(1);
    expect(failed.stdout).toMatch(/1 ticket checked at [\d:]+, 0 live\n {2}T-1: .*look\.mjs exited with code 1\n/);
    expect(calls()).toEqual(["T-1", "T-2"]);
  });

  test("cannot be looked at without a verify step, and nothing says that it is live", async () => {
    const { stage } = scene();
    const batch = stage.batch([{ id: "T-1", finish: [{ step: "gates" }, { step: "merge" }] }]);
    expect((await stage.run([batch, "--headless"])).code).toBe(0);
    const { code, stdout } = await stage.run(["verify"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/nothing was checked: no ticket that landed has a "verify" step/);
    expect(await stage.run(["verify", "test", "T-1"])).toMatchObject({
      stdout: expect.stringContaining('T-1 has no "verify" step'),
    });
  });

  test("is checked by the same command first, without an agent", async () => {
    const { stage, batch, calls } = scene();
    expect((await stage.run([batch, "--headless"])).code).toBe(1);
    writeFileSync(stage.path("up"), "");
    expect((await stage.run([batch, "--headless"])).code).toBe(0);
    expect(calls()).toEqual(["T-1", "T-2"]);
  });

  test("that a person reverts meanwhile is no longer landed: an agent starts over", async () => {
    const { stage, batch, calls } = scene();
    expect((await stage.run([batch, "--headless"])).code).toBe(1);
    stage.git("app", "revert", "--no-edit", "HEAD");
    writeFileSync(stage.path("up"), "");
    expect((await stage.run([batch, "--headless"])).code).toBe(0);
    expect(calls()).toEqual(["T-1", "T-1", "T-2"]);
  });
});

test("loopdash verify says so if nothing has landed", async () => {
  const { stage, batch } = scene();
  stage.agent("process.exit(1);");
  expect((await stage.run([batch, "--headless"])).code).toBe(1);
  expect(await stage.run(["verify"])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("nothing was checked: no ticket has landed"),
  });
  expect(await stage.run(["verify", "tset"])).toMatchObject({ code: 2, stderr: expect.stringContaining("Did you mean test?") });
});

test("loopdash verify checks only the ticket that it names, also without an engine", async () => {
  const { stage, looks } = scene();
  const looker = (id: string) => ({ step: "verify", name: "live", command: [process.execPath, stage.path("look.mjs"), id] });
  const finish = (id: string) => [{ step: "gates" }, { step: "merge" }, looker(id)];
  const batch = stage.batch(
    ["T-1", "T-2"].map((id) => ({ id, finish: finish(id) })),
    { limits: { attempts: 1 }, onBroken: "continue" },
  );
  expect((await stage.run([batch, "--headless"])).code).toBe(1);
  writeFileSync(stage.path("up"), "");
  const before = looks();
  expect(await stage.run(["verify", "test", "T-2"])).toMatchObject({ code: 0 });
  // Its check, and the last one before the oracle.
  expect(looks() - before).toBe(2);
  expect((await stage.report()).tickets).toMatchObject([
    { id: "T-1", state: "open", landed: { givenUp: "this run checks only T-2" } },
    { id: "T-2", state: "done" },
  ]);
  expect(await stage.run(["verify"])).toMatchObject({ code: 0 });
  expect((await stage.report()).tickets).toMatchObject([{ state: "done" }, { state: "done" }]);
});

test("kill -9 in the middle of a live check: it is ended and repeated, and nothing lands twice", async () => {
  const { stage, batch, calls } = scene({ live: { repeats: 2, everySeconds: 1 } });
  const run = stage.start([batch, "--json"]);
  await run.until(/"outcome":"landed"/);
  writeFileSync(stage.path("hang"), "");
  await run.until(/"live-check-started"/);
  run.child.kill("SIGKILL");
  await run.ended;
  rmSync(stage.path("hang"));
  writeFileSync(stage.path("up"), "");
  expect((await stage.run([batch, "--headless"])).code).toBe(0);
  expect(calls()).toEqual(["T-1", "T-2"]);
  expect(stage.landed()).toEqual(["T-1", "T-2"]);
  expect(pidsUnder(stage.root)).toEqual([]);
});

test("kill -9 while the base is broken: the next engine lands nothing on it before the live check passes, and asks no agent again", {
  timeout: 300_000,
}, async () => {
  const { stage, calls, looks, finish } = scene();
  const go = stage.path("go");
  stage.agent(`fs.appendFileSync("${stage.path("calls")}", ticket + "\\n");
while (ticket === "T-2" && !fs.existsSync(${JSON.stringify(go)})) await wait(20);
${HONEST}`);
  const batch = stage.batch([{ id: "T-1", finish }, "T-2"], { live: { repeats: 99, everySeconds: 0.5 } });
  const run = stage.start([batch, "--json"]);
  await run.until(/"outcome":"landed"/);
  writeFileSync(go, "");
  await run.until(/"type":"merge-waiting"/);
  run.child.kill("SIGKILL");
  await run.ended;
  expect(stage.landed()).toEqual(["T-1"]);

  const before = looks();
  const next = stage.start([batch, "--json"]);
  await next.until(/"type":"run-resumed"(?:[^]*"type":"live-check-ended"){2}/);
  expect(looks()).toBeGreaterThan(before);
  expect(stage.landed()).toEqual(["T-1"]);
  writeFileSync(stage.path("up"), "");
  expect((await next.ended).code).toBe(0);
  expect(stage.landed()).toEqual(["T-1", "T-2"]);
  expect(calls().toSorted()).toEqual(["T-1", "T-2"]);
  // A live check that fails and the base that it breaks are one incident.
  const { incidentList } = await stage.report();
  expect(incidentList).toMatchObject([{ kind: "live-check", ticket: "T-1", durationMs: expect.any(Number) }]);
});

test("loopdash verify asks the engine that is at work, and tells what came of it", async () => {
  const { stage, batch } = scene({ live: { repeats: 5, everySeconds: 300 } });
  const run = stage.start([batch, "--headless"]);
  await run.until(/it landed, and is not live/);
  const failed = await stage.run(["verify"]);
  expect(failed).toMatchObject({ code: 1, stdout: expect.stringMatching(/not live \(2 failed checks in a row\)/) });
  expect(await stage.run(["verify", "test", "T-2"])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining("T-2 has not landed"),
  });
  writeFileSync(stage.path("up"), "");
  expect(await stage.run(["verify"])).toMatchObject({ code: 0, stdout: expect.stringContaining("the check passed") });
  expect((await run.ended).code).toBe(0);
  expect(await stage.report()).toMatchObject({ interventions: { byClass: { I2: 1 } } });
});

test("loopdash verify joins a check that is under way, and its exit code follows from that check", async () => {
  const { stage, batch } = scene({ live: { repeats: 5, everySeconds: 300 } });
  const run = stage.start([batch, "--headless"]);
  await run.until(/it landed, and is not live/);
  writeFileSync(stage.path("hang"), "");
  const first = stage.start(["verify"]);
  await first.until(/live check runs, as requested/);
  const second = stage.start(["verify", "test", "T-1"]);
  await run.until(/T-1 is being checked already/);
  rmSync(stage.path("hang"));
  for (const { ended } of [first, second])
    expect(await ended).toMatchObject({ code: 1, stdout: expect.stringMatching(/not live \(2 failed checks in a row\)/) });
});
