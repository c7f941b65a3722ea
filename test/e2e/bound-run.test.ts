import { readFileSync, rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { eventsOf, HONEST, Stage } from "./stage.ts";

const BOUND = "## DANGER ZONES\n- `pay/`: money\n\n## NEVER DO\n- Never log a card number.\n";

/** An agent that changes the zone in T-1, and only other files in every other ticket. */
const IN_ZONE = `if (ticket === "T-1") { fs.writeFileSync("pay/amount.txt", "attempt " + attempt + "\\n"); } ${HONEST}`;

function begun(agent = IN_ZONE, bound = BOUND): Stage {
  const stage = new Stage();
  stage.repo("app", { "README.md": "# test\n", "BOUND.md": bound, "pay/amount.txt": "1\n" });
  stage.agent(agent);
  return stage;
}

/** The approval command that the gate of the ticket names. */
async function stepOf(stage: Stage): Promise<string[]> {
  const step = (await stage.report()).tickets.find(({ id }) => id === "T-1")?.humanStep ?? "";
  const command = step.split("approve it with the commit: loopdash ")[1] ?? "";
  expect(command).toMatch(/^bound approve \S+ T-1 [0-9a-f]{12}$/);
  return command.split(" ");
}

describe("a change of a danger zone", { timeout: 300_000 }, () => {
  test("headless: it is left to a person with the exact command, the others land, and the approval lands it", async () => {
    using stage = begun();
    const batch = stage.batch(["T-1", "T-2"]);
    const { code, events } = await stage.events(batch);
    expect(code).toBe(0);
    expect(stage.landed()).toEqual(["T-2"]);
    expect(events.find(({ type }) => type === "approval-awaited")).toMatchObject({ ticket: "T-1", zones: ["pay/"], files: 1 });
    const approve = await stepOf(stage);
    const shown = await stage.run(approve.slice(0, 4));
    expect(shown.code).toBe(1);
    expect(shown.stdout).toContain("+attempt 1");
    expect(shown.stdout).toContain("It needs a person:\n- it changes the danger zone pay/: money (BOUND.md:2)\n");
    expect(shown.stdout).toContain(`To approve exactly this: loopdash ${approve.join(" ")}`);
    expect(stage.landed()).toEqual(["T-2"]);
    const approved = await stage.run(approve);
    expect(approved).toMatchObject({ code: 0, stderr: "" });
    expect(approved.stdout).toContain(`it goes on with: loopdash ${batch}`);
    const again = await stage.events(batch);
    expect(again.code).toBe(0);
    expect(again.events.some(({ type }) => type === "agent-launching")).toBe(false);
    expect(stage.landed()).toEqual(["T-2", "T-1"]);
    expect(stage.git("app", "show", "main:pay/amount.txt")).toBe("attempt 1");
    const report = await stage.report();
    expect(report.tickets.map(({ id, state }) => `${id} ${state}`)).toEqual(["T-1 done", "T-2 done"]);
    expect(report.interventions.byClass).toMatchObject({ I6: 1 });
  });

  test("it is shown whole: other files too, long ones, long lines, NULs, and what hides", async () => {
    using stage = begun(`
      fs.writeFileSync("pay/amount.txt", "2\\n");
      fs.writeFileSync("nul.js", "a\\0\\nsteal(1)\\n");
      fs.writeFileSync("long.js", "1\\n".repeat(150000) + "steal(2)\\n");
      fs.writeFileSync("line.js", "x".repeat(300000) + "steal(3)\\n");
      fs.writeFileSync("bidi.js", "steal\\u202e(4)\\u200b\\x1b[2K\\n");
      fs.writeFileSync("run.sh", "true\\n", { mode: 0o755 });
      fs.symlinkSync("pay/amount.txt", "link");`);
    const { code, events } = await stage.events(
      stage.batch(["T-1"], { finish: [{ step: "check", name: "c", command: ["true"] }, { step: "merge" }] }),
    );
    expect(code).toBe(0);
    expect(events.find(({ type }) => type === "change-captured")).toMatchObject({ additions: 150_008, deletions: 1 });
    const approve = await stepOf(stage);
    const { stdout } = await stage.run(approve.slice(0, 4));
    for (const line of ["+a␀", "+steal(1)", "+steal(2)", `+${"x".repeat(300_000)}steal(3)`, "+steal<U+202E>(4)<U+200B>␛[2K"])
      expect(stdout.split("\n")).toContain(line);
    expect(stdout).toContain("new file mode 100755");
    expect(stdout).toMatch(/new file mode 120000[^]*\n\+pay\/amount\.txt\n/);
    expect(stdout).toContain(
      `This is the whole change; nothing is approved yet. To approve exactly this: loopdash ${approve.join(" ")}`,
    );
  });

  test("it is not approved if it is too long to be shown whole", async () => {
    using stage = begun(`fs.writeFileSync("pay/amount.txt", ("x".repeat(1_000_000) + "\\n").repeat(70));`);
    await stage.events(stage.batch(["T-1"]));
    const approve = await stepOf(stage);
    for (const words of [approve.slice(0, 4), approve])
      expect(await stage.run(words)).toMatchObject({
        code: 4,
        stderr: expect.stringMatching(/nothing was approved[^]*longer than 48 MiB and cannot be shown whole/),
      });
  });

  test("it is not approved once it cannot be shown", async () => {
    using stage = begun();
    await stage.events(stage.batch(["T-1"]));
    const approve = await stepOf(stage);
    const blob = stage.git("app", "rev-parse", `${approve[4]}:pay/amount.txt`);
    rmSync(stage.path("app", ".git", "objects", blob.replace(/^../, "$&/")));
    for (const words of [approve.slice(0, 4), approve])
      expect(await stage.run(words)).toMatchObject({
        code: 4,
        stderr: expect.stringContaining("the change of T-1 cannot be shown: git does not have"),
      });
  });

  test("while the run goes on, an approval by its commit lets it land; another commit is refused", async () => {
    using stage = begun();
    stage.agent(
      IN_ZONE.replace(
        "if (",
        `if (ticket === "T-2") while (!fs.existsSync(${JSON.stringify(stage.path("GO"))})) await wait(20);\nif (`,
      ),
    );
    const batch = stage.batch(["T-1", "T-2"]);
    const run = stage.start([batch, "--json"]);
    await run.until(/"approval-awaited"/);
    await run.until(/"type":"attempt-ended","ticket":"T-1"/);
    const awaited = eventsOf(run.stdout().slice(0, run.stdout().lastIndexOf("\n"))).find(
      ({ type }) => type === "approval-awaited",
    );
    const commit = awaited?.type === "approval-awaited" ? awaited.commit : "";
    const wrong = await stage.run(["bound", "approve", "test", "T-1", "0123456789ab"]);
    expect(wrong).toMatchObject({ code: 4 });
    expect(wrong.stderr).toContain(`the change of T-1 that waits is ${commit.slice(0, 12)}, and not 0123456789ab`);
    const right = await stage.run(["bound", "approve", "test", "T-1", commit]);
    expect(right).toMatchObject({ code: 0 });
    await run.until(/"type":"merge-landed","repo":"app"/);
    stage.write("GO", "");
    expect((await run.ended).code).toBe(0);
    expect(stage.landed()).toEqual(["T-1", "T-2"]);
    expect((await stage.report()).interventions.byClass).toMatchObject({ I6: 1 });
  });

  test("an approval holds for exactly that change: with another content below it, it waits again", async () => {
    const list = Array.from({ length: 30 }, (_, i) => `${i}\n`).join("");
    using stage = new Stage();
    stage.repo("app", { "BOUND.md": BOUND, "pay/list.txt": list, "other.txt": "x\n" });
    stage.agent('const old = fs.readFileSync("pay/list.txt", "utf8"); fs.writeFileSync("pay/list.txt", "first\\n" + old);');
    const batch = stage.batch(["T-1"]);
    await stage.events(batch);
    const approve = await stepOf(stage);
    await stage.run(approve);
    stage.write("app/pay/list.txt", `${list}last\n`);
    stage.git("app", "commit", "-q", "-am", "the same file");
    expect((await stage.events(batch)).code).toBe(0);
    expect(stage.landed()).toEqual([]);
    expect((await stage.run(approve)).stderr).toMatch(/the change of T-1 that waits is [0-9a-f]{12}, and not [0-9a-f]{12}/);
    await stage.run(await stepOf(stage));
    // Another file of the base does not count.
    stage.write("app/other.txt", "y\n");
    stage.git("app", "commit", "-q", "-am", "another file");
    expect((await stage.events(batch)).code).toBe(0);
    expect(stage.landed()).toEqual(["T-1"]);
    expect(stage.git("app", "show", "main:pay/list.txt")).toBe(`first\n${list}last`);
    expect((await stage.report()).interventions.byClass).toMatchObject({ I6: expect.any(Number) });
  });

  test("read-only zones: the change is refused, and nobody can approve it", async () => {
    using stage = begun();
    const batch = stage.batch(["T-1"], { bound: { zones: "read-only" }, limits: { attempts: 1 } });
    const { code, events } = await stage.events(batch);
    expect(code).toBe(1);
    expect(stage.landed()).toEqual([]);
    const ended = events.findLast(({ type }) => type === "attempt-ended");
    expect(ended).toMatchObject({ outcome: "failed", evidence: { summary: "read-only zone touched: pay/" } });
  });

  test("read-only zones: the sandbox mounts them read-only, beside what an agent may write", async () => {
    using stage = begun(`
      let told = "written";
      try { fs.writeFileSync("pay/amount.txt", "2\\n"); } catch (error) { told = error.code; }
      let created = "written";
      try { fs.writeFileSync("pay/new.txt", "2\\n"); } catch (error) { created = error.code; }
      say("ZONE " + told + " " + created + " " + fs.readFileSync("pay/amount.txt", "utf8").trim());
      ${HONEST}`);
    const batch = stage.batch(["T-1"], { sandbox: "required", bound: { zones: "read-only" } });
    const { code, events } = await stage.events(batch);
    const said = events.flatMap((event) => (event.type === "activity" ? [event.text] : []));
    expect(said.find((line) => line.startsWith("ZONE"))).toBe("ZONE EROFS EROFS 1");
    expect(code).toBe(0);
    expect(stage.landed()).toEqual(["T-1"]);
  });

  test("the prompt and the reviewer have the rules", async () => {
    using stage = begun();
    stage.agent(`fs.writeFileSync(${JSON.stringify(stage.path("prompt.txt"))}, prompt); ${HONEST}`);
    stage.write(
      "reviewer.mjs",
      `import * as fs from "node:fs";
const question = fs.readFileSync(process.env.LOOPDASH_PROMPT, "utf8");
fs.writeFileSync(${JSON.stringify(stage.path("question.txt"))}, question);
process.exit(1);`,
    );
    const reviewer = { kind: "command", command: [process.execPath, "reviewer.mjs"] };
    await stage.events(stage.batch(["T-1"], { reviewer, limits: { attempts: 1, outageMinutes: 0 } }));
    const prompt = readFileSync(stage.path("prompt.txt"), "utf8");
    expect(prompt).toContain("### The boundaries of this repository");
    expect(prompt).toContain("- `pay/`: money");
    expect(prompt).toContain("Never do:\n- Never log a card number.");
    expect(readFileSync(stage.path("question.txt"), "utf8")).toContain("title:\n- Never log a card number.");
  });

  test("a batch sets zones of its own", async () => {
    using stage = begun(IN_ZONE, "## NEVER DO\n- x\n");
    const { code } = await stage.events(stage.batch(["T-1"], { bound: { dangerZones: ["amount.txt"] } }));
    expect(code).toBe(0);
    expect(stage.landed()).toEqual([]);
  });
});

describe("the rules of a repository", { timeout: 300_000 }, () => {
  test.for<[what: string, agent: string, summary: string]>([
    ["changes", 'fs.appendFileSync("BOUND.md", "- more\\n");', "BOUND.md is changed: its rules are a person's"],
    ["takes away", 'fs.rmSync("BOUND.md");', "BOUND.md is lost: the base has it, and the change takes it away"],
  ])("a change that %s BOUND.md never lands, also without gates", async ([, agent, summary]) => {
    using stage = begun(`${agent} ${HONEST}`);
    const finish = [{ step: "check", name: "c", command: ["true"] }, { step: "merge" }];
    const { code, events } = await stage.events(stage.batch(["T-1"], { finish, limits: { attempts: 1 } }));
    expect(code).toBe(1);
    expect(stage.landed()).toEqual([]);
    expect(events.findLast(({ type }) => type === "attempt-ended")).toMatchObject({ evidence: { summary } });
  });

  test("an iron law is a check of the candidate, and a verification of what landed", async () => {
    const law = "## IRON LAWS\n- `test ! -e broken.txt`: nothing is broken\n";
    using stage = begun(`if (attempt === 1) fs.writeFileSync("broken.txt", ""); ${HONEST}`, law);
    const { code, events } = await stage.events(stage.batch(["T-1"]));
    expect(code).toBe(0);
    const steps = events.flatMap((event) => (event.type === "step-ended" ? [`${event.step} ${event.ok}`] : []));
    expect(steps[1]).toBe("1 false");
    expect(events.flatMap((event) => (event.type === "step-started" && event.name === "iron-law-1" ? [event.kind] : []))).toEqual(
      ["check", "check", "verify"],
    );
    expect(stage.landed()).toEqual(["T-1"]);
  });

  test("rules that cannot be read refuse the start, with the line and what to do", async () => {
    using stage = begun(HONEST, "## DANGER ZONES\n- pay\n");
    const { code, stderr } = await stage.run([stage.batch(["T-1"]), "--headless"]);
    expect(code).toBe(2);
    expect(stderr).toContain("BOUND.md of app on main is not valid (1 problem)");
    expect(stderr).toContain("BOUND.md:2  the rule does not begin with a path in backticks");
    expect(stage.landed()).toEqual([]);
  });
});
