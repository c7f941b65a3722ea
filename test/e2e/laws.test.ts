import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, type TestContext, test } from "vitest";
import { eventsOf, HONEST, pidsUnder, Stage, type Started } from "./stage.ts";

/** An agent that says READY and goes on once `go` exists. */
const waitsForGo = (stage: Stage, then: string) =>
  `say("READY"); while (!fs.existsSync("${stage.path("go")}")) await wait(20); ${then}`;

/** The embedded tracker of a run that has begun. */
function trackerFile(stage: Stage, started: Started): string {
  const first = eventsOf(`${started.stdout().split("\n")[0]}\n`)[0];
  if (first?.type !== "run-started") throw new Error("the run has not begun");
  return join(stage.home, "runs", first.run, "tracker.json");
}

describe("law 2: a worker's word is never evidence", () => {
  test("an agent that claims and changes nothing: not done, exit 1, claims told apart from verdicts", async () => {
    using stage = new Stage();
    stage.repo("app");
    stage.agent(`say("<promise>COMPLETE</promise> all tickets done, EXIT_SIGNAL: true");`);
    const { code } = await stage.events(stage.batch(["T-1"]));
    expect(code).toBe(1);
    expect(await stage.report()).toMatchObject({
      verdict: "not-done",
      claims: { made: 2, upheld: 0 },
      tickets: [{ state: "open", attempts: 2 }],
    });
    expect(stage.landed()).toEqual([]);
  });

  test("an agent that commits on its branch and exits 1 is not merged", async () => {
    using stage = new Stage();
    stage.repo("app");
    stage.agent(`${HONEST} process.exitCode = 1;`);
    expect((await stage.events(stage.batch(["T-1"]))).code).toBe(1);
    expect(stage.landed()).toEqual([]);
    expect(stage.git("app", "branch", "--list", "loopdash/*")).toContain("T-1");
  });
});

describe("the base is the user's", () => {
  test("a checkout that turns dirty: the merge waits and says so, and lands once it is clean; the user's commit stays", async () => {
    using stage = new Stage();
    stage.repo("app");
    stage.agent(waitsForGo(stage, HONEST));
    const run = stage.start([stage.batch(["T-1"]), "--json"]);
    await run.until(/READY/);
    stage.write("app/README.md", "# mine\n");
    stage.write("go", "");
    await run.until(/"type":"merge-waiting"/);
    expect(stage.git("app", "status", "--porcelain")).toBe("M README.md");
    stage.git("app", "commit", "-qam", "mine");
    expect((await run.ended).code).toBe(0);
    expect(stage.git("app", "log", "--format=%s").split("\n")).toEqual(["Do T-1 (T-1)", "mine", "start"]);
    expect(stage.git("app", "status", "--porcelain")).toBe("");
  });

  test("what was checked is what lands: after somebody else's commit the check runs again, on the new candidate", async () => {
    using stage = new Stage();
    stage.repo("app", {
      "check.mjs": `import fs from "node:fs"; fs.appendFileSync("${stage.path("seen")}", fs.existsSync("theirs.txt") + "\\n"); if (!fs.existsSync("${stage.path("pushed")}")) { console.log("CHECKED"); while (!fs.existsSync("${stage.path("pushed")}")) await new Promise((r) => setTimeout(r, 20)); }`,
    });
    stage.agent(HONEST);
    const finish = [{ step: "check", name: "tests", command: [process.execPath, "check.mjs"] }, { step: "merge" }];
    const run = stage.start([stage.batch(["T-1"], { ownFinish: finish }), "--json"]);
    await run.until(/"type":"step-started"/);
    while (!existsSync(stage.path("seen"))) await new Promise((again) => setImmediate(again));
    stage.write("app/theirs.txt", "x");
    stage.git("app", "add", "-A");
    stage.git("app", "commit", "-qm", "theirs");
    stage.write("pushed", "");
    const { code, stdout } = await run.ended;
    expect(code).toBe(0);
    expect(readFileSync(stage.path("seen"), "utf8")).toBe("false\ntrue\ntrue\n");
    const events = eventsOf(stdout);
    const landed = events.find((e) => e.type === "merge-landed")?.to;
    const judged = events.findLast((e) => e.type === "step-ended" && e.ok && e.judged !== undefined && e.step === 0);
    expect(judged).toMatchObject({ judged: landed });
    expect(stage.git("app", "rev-parse", "main")).toBe(landed);
  });

  test("two tickets that change the same line: the second is told of the conflict and starts from the new base", async () => {
    using stage = new Stage();
    stage.repo("app", { "list.txt": "one\n" });
    stage.agent(`
      if (attempt === 1) { say("READY"); fs.writeFileSync("${stage.root}/" + ticket, ""); while (!(fs.existsSync("${stage.path("T-1")}") && fs.existsSync("${stage.path("T-2")}"))) await wait(20); }
      else if (!prompt.includes("conflict with the base in list.txt")) throw new Error("not told");
      fs.writeFileSync("list.txt", fs.readFileSync("list.txt", "utf8").trim() + " " + ticket + "\\n");`);
    expect((await stage.events(stage.batch(["T-1", "T-2"]))).code).toBe(0);
    expect(["one T-1 T-2\n", "one T-2 T-1\n"]).toContain(readFileSync(stage.path("app/list.txt"), "utf8"));
  });

  test("the repository's own hooks do not run", async () => {
    using stage = new Stage();
    stage.repo("app");
    for (const hook of [
      "post-checkout",
      "pre-commit",
      "post-commit",
      "reference-transaction",
      "post-index-change",
      "post-merge",
    ]) {
      stage.write(`app/.git/hooks/${hook}`, `#!/bin/sh\ntouch ${stage.path("HOOK-RAN")}\n`, 0o755);
    }
    stage.agent(HONEST);
    expect((await stage.events(stage.batch(["T-1"]))).code).toBe(0);
    expect(existsSync(stage.path("HOOK-RAN"))).toBe(false);
  });
});

describe("the last look before the oracle", () => {
  test("a ticket whose live check broke after it was done is reopened, and mended by the next attempt", async () => {
    using stage = new Stage();
    stage.repo("app", {
      "verify.mjs": `import fs from "node:fs"; if (fs.existsSync("T-2.txt") && !fs.existsSync("fix.txt")) { console.log("T-2 broke it"); process.exit(1); }`,
    });
    stage.agent(`if (prompt.includes("T-2 broke it")) fs.writeFileSync("fix.txt", "x"); else { ${HONEST} }`);
    const verified = [{ step: "merge" }, { step: "verify", name: "live", command: [process.execPath, "verify.mjs"] }];
    const tickets = [
      { id: "T-1", finish: verified },
      { id: "T-2", dependsOn: ["T-1"], finish: [{ step: "merge" }] },
    ];
    const { code, events } = await stage.events(stage.batch(tickets));
    expect(code).toBe(0);
    expect(events.filter((e) => e.type === "ticket-reopened").map((e) => e.ticket)).toEqual(["T-1"]);
    expect(await stage.report()).toMatchObject({ incidentsByKind: { reopened: 1 } });
  });

  test("a tracker that forgot a ticket is told again; one that holds nonsense is never done", async () => {
    using stage = new Stage();
    stage.repo("app");
    stage.agent(`if (ticket === "T-2") { ${waitsForGo(stage, "")} } ${HONEST}`);
    const run = stage.start([stage.batch(["T-1", { id: "T-2", dependsOn: ["T-1"] }]), "--json"]);
    await run.until(/READY/);
    const file = trackerFile(stage, run);
    writeFileSync(
      file,
      readFileSync(file, "utf8").replace('"state":"done"', '"state":"open"').replace('"state": "done"', '"state": "open"'),
    );
    stage.write("go", "");
    expect((await run.ended).code).toBe(0);
    expect(JSON.parse(readFileSync(file, "utf8")).tickets.map((t: { state: string }) => t.state)).toEqual(["done", "done"]);
  });

  test("a ticket that vanished from the tracker: the oracle cannot judge, exit 3", { timeout: 300_000 }, async () => {
    using stage = new Stage();
    stage.repo("app");
    stage.agent(waitsForGo(stage, HONEST));
    const run = stage.start([stage.batch(["T-1", "T-2"]), "--json"]);
    await run.until(/READY/);
    const file = trackerFile(stage, run);
    const tracker = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(file, JSON.stringify({ ...tracker, tickets: tracker.tickets.slice(1) }));
    stage.write("go", "");
    expect((await run.ended).code).toBe(3);
  });
});

describe("processes", () => {
  test("a silent agent is killed with all it started, even what left its process group", async () => {
    using stage = new Stage();
    stage.repo("app");
    stage.agent(
      `if (attempt === 1) { execFileSync("setsid", ["-f", "sleep", "600"]); say("READY"); await wait(600_000); } ${HONEST}`,
    );
    const { code, events } = await stage.events(stage.batch(["T-1"], { limits: { silenceMinutes: 0.01 } }));
    expect(code).toBe(0);
    expect(events.filter((e) => e.type === "attempt-ended").map((e) => e.outcome)).toEqual(["silent", "done"]);
    expect(pidsUnder(stage.root)).toEqual([]);
  });

  test("an agent that runs out of time is killed, though it keeps talking", async () => {
    using stage = new Stage();
    stage.repo("app");
    stage.agent(`if (attempt === 1) for (;;) { say("busy"); await wait(50); } ${HONEST}`);
    const { events } = await stage.events(stage.batch(["T-1"], { limits: { minutesPerAttempt: 0.02 } }));
    expect(events.filter((e) => e.type === "attempt-ended").map((e) => e.outcome)).toEqual(["out-of-time", "done"]);
  });

  test("neither agent nor check sees the engine's secrets", async () => {
    using stage = new Stage();
    stage.repo("app", {
      "check.mjs": `console.log(JSON.stringify(process.env)); process.exit(JSON.stringify(process.env).includes("hunter2") ? 1 : 0);`,
    });
    stage.agent(`fs.writeFileSync("T-1.txt", "x"); fs.writeFileSync("${stage.path("env")}", JSON.stringify(process.env));`);
    const finish = [{ step: "check", name: "tests", command: [process.execPath, "check.mjs"] }, { step: "merge" }];
    const secrets = Object.fromEntries(
      ["LINEAR_API_KEY", "GITHUB_TOKEN", "ANTHROPIC_API_KEY", "AWS_SECRET_ACCESS_KEY", "MY_PASSWORD"].map((name) => [
        name,
        "hunter2",
      ]),
    );
    expect((await stage.run([stage.batch(["T-1"], { finish }), "--json", "--allow-api-key"], secrets)).code).toBe(0);
    expect(readFileSync(stage.path("env"), "utf8")).not.toContain("hunter2");
  });

  test("what an agent prints cannot reach the terminal raw", async () => {
    using stage = new Stage();
    stage.repo("app");
    stage.agent(
      `say("\\u001b]0;owned\\u0007\\u001b[2Jhello\\u009b31m"); fs.writeFileSync("\\u001b[31mname.txt", "x"); if (attempt === 1) { fs.writeFileSync("package.json", "x"); }`,
    );
    const ended = await stage.run([stage.batch(["T-1"], { protect: ["package.json", "*name*"] }), "--headless"]);
    expect(ended.code).toBe(1);
    expect(ended.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  });
});

describe("bounds", () => {
  test("a cap on money parks the run: exit 1, and it says which cap and what is left", async () => {
    using stage = new Stage();
    stage.repo("app");
    stage.agent(HONEST);
    const agent = { kind: "command", command: [process.execPath, "agent.mjs"], usdPerAttempt: 2 };
    const { code } = await stage.events(stage.batch(["T-1", "T-2", "T-3"], { agent, limits: { usdPerRun: 4, workers: 1 } }));
    expect(code).toBe(1);
    expect(await stage.report()).toMatchObject({ costUsd: 4, verdict: "not-done" });
    expect((await stage.report()).reason).toContain("usdPerRun");
  });

  test("a new run of a batch that ended not done goes on with what is left", async () => {
    using stage = new Stage();
    stage.repo("app");
    stage.agent(`if (ticket === "T-2" && !fs.existsSync("${stage.path("mended")}")) process.exit(1); ${HONEST}`);
    const batch = stage.batch(["T-1", "T-2"]);
    expect((await stage.events(batch)).code).toBe(1);
    stage.write("mended", "");
    const second = await stage.events(batch);
    expect(second.code).toBe(0);
    expect(second.events.flatMap((e) => (e.type === "attempt-claimed" ? [e.ticket] : []))).toEqual(["T-2"]);
    expect(stage.landed()).toEqual(["T-1", "T-2"]);
  });

  /** Only root can mount a disk of a size for a process that it does not start: nobody else is asked. */
  const asRoot: typeof test | ((name: string, run: (context: TestContext) => Promise<void>) => void) =
    process.getuid?.() === 0 ? test : () => undefined;

  /** Runs in a state folder on a small disk of its own. */
  async function onSmallDisk(
    context: TestContext,
    deed: (stage: Stage, options: { home: string; makeRoom: () => void }) => Promise<void>,
  ): Promise<void> {
    using stage = new Stage();
    const home = stage.path("small");
    mkdirSync(home);
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=1500k,mode=700", "tmpfs", home], { stdio: "pipe" });
    } catch {
      context.skip("needs the right to mount a small file system");
    }
    try {
      stage.repo("app");
      await deed(stage, { home, makeRoom: () => execFileSync("mount", ["-o", "remount,size=64m", home]) });
    } finally {
      execFileSync("umount", ["-l", home]);
      rmSync(home, { recursive: true, force: true });
    }
  }

  asRoot(
    "a full disk stops the run honestly: no agent is left, and the same command continues once there is room",
    async (context) => {
      await onSmallDisk(context, async (stage, { home, makeRoom }) => {
        stage.agent(
          `if (!fs.existsSync("${stage.path("mended")}")) { say("READY"); for (let i = 0; ; i++) { say("x".repeat(180) + i); await wait(5); } } ${HONEST}`,
        );
        const batch = stage.batch(["T-1"]);
        const { code, stderr } = await stage.run([batch, "--headless"], { LOOPDASH_HOME: home });
        expect([code, stderr]).toEqual([3, expect.stringMatching(/had to stop.*\n {2}why: .*(full|space)/)]);
        expect(pidsUnder(stage.root)).toEqual([]);
        makeRoom();
        stage.write("mended", "");
        expect((await stage.run([batch, "--headless"], { LOOPDASH_HOME: home })).code).toBe(0);
        expect(stage.landed()).toEqual(["T-1"]);
      });
    },
  );

  asRoot(
    "what fails on a full disk is no failed attempt: with room for it, the only one that there may be ships",
    async (context) => {
      await onSmallDisk(context, async (stage, { home, makeRoom }) => {
        const big = join(home, "big");
        stage.agent(
          `if (attempt === 1) { fs.writeFileSync(${JSON.stringify(big)}, "x".repeat(600_000)); process.exit(1); } ${HONEST}`,
        );
        const batch = stage.batch(["T-1"], { limits: { attempts: 1 } });
        const { code, stdout } = await stage.run([batch, "--headless"], { LOOPDASH_HOME: home });
        expect([code, stdout]).toEqual([
          3,
          expect.stringContaining("the disk refused writes: the disk that holds the run is full"),
        ]);
        expect(stage.landed()).toEqual([]);
        makeRoom();
        expect((await stage.run([batch, "--headless"], { LOOPDASH_HOME: home })).code).toBe(0);
        expect(stage.landed()).toEqual(["T-1"]);
      });
    },
  );
});
