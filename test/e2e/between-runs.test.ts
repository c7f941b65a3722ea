import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { Stage } from "./stage.ts";

/** A stage whose agents append a line to one file, and whose live check passes while a file `up` exists. */
function scene() {
  const stage = new Stage();
  onTestFinished(() => stage[Symbol.dispose]());
  stage.repo("app");
  stage.agent(`fs.appendFileSync("${stage.path("prompts")}", prompt + "\\n=====\\n");
if (!fs.existsSync("${stage.path("idle")}")) fs.appendFileSync(ticket + ".txt", "a line\\n");`);
  const look = stage.write("look.mjs", `import fs from "node:fs"; process.exit(fs.existsSync("${stage.path("up")}") ? 0 : 1);\n`);
  const finish = [{ step: "gates" }, { step: "merge" }, { step: "verify", name: "live", command: [process.execPath, look] }];
  const prompts = () =>
    existsSync(stage.path("prompts")) ? readFileSync(stage.path("prompts"), "utf8").split("\n=====\n") : [""];
  return {
    stage,
    finish,
    go: (batch: string) => stage.run([batch, "--headless"]),
    agents: () => prompts().length - 1,
    lastPrompt: () => prompts().at(-2) ?? "",
    isUp: (up: boolean) => (up ? writeFileSync(stage.path("up"), "") : rmSync(stage.path("up"), { force: true })),
  };
}

describe("a change that landed and is not live, and whose ticket a person rewrites between two runs", {
  timeout: 240_000,
}, () => {
  const rewritten = (finish: unknown) => [{ id: "T-1", finish, body: "Use the blue paint." }];

  test("stays landed: the check is repeated first, and no agent starts once it passes", async () => {
    const { stage, finish, go, agents, isUp } = scene();
    const limits = { attempts: 1 };
    expect((await go(stage.batch([{ id: "T-1", finish }], { limits }))).code).toBe(1);
    isUp(true);
    const more = [{ step: "gates" }, { step: "check", name: "unit", command: ["true"] }, ...finish.slice(1)];
    expect((await go(stage.batch(rewritten(more), { limits }))).code).toBe(0);
    expect(agents()).toBe(1);
    expect(stage.git("app", "show", "main:T-1.txt")).toBe("a line");
  });

  test("is named in the prompt of the next agent, which is told that the text is new", async () => {
    const { stage, finish, go, agents, lastPrompt } = scene();
    expect((await go(stage.batch([{ id: "T-1", finish }], { limits: { attempts: 1 } }))).code).toBe(1);
    const sha = stage.git("app", "rev-parse", "main");
    writeFileSync(stage.path("idle"), "");
    expect((await go(stage.batch(rewritten(finish), { limits: { attempts: 2 } }))).code).toBe(1);
    expect(agents()).toBe(2);
    expect(lastPrompt()).toContain("Use the blue paint.");
    expect(lastPrompt()).toContain(`Earlier work on this ticket is in the base, as commit ${sha.slice(0, 12)}`);
    expect(lastPrompt()).toContain("a person has rewritten the text since it landed");
    expect(lastPrompt()).not.toContain("This is the first attempt");
    expect(stage.git("app", "rev-parse", "main")).toBe(sha);
  });
});

describe("a folder of tickets between two runs", { timeout: 240_000 }, () => {
  const folder = (stage: Stage, finish: unknown) => stage.batch([], { tracker: { kind: "local", path: "tickets" }, finish });
  const setTo = (stage: Stage, state: string) => {
    const file = stage.path("tickets/T-1.md");
    writeFileSync(file, readFileSync(file, "utf8").replace(/^state: .*$/m, `state: ${state}`));
  };

  test("a person reopens a shipped ticket: the next agent is told by which run it had landed, and as what", async () => {
    const { stage, go, agents, lastPrompt } = scene();
    stage.write("tickets/T-1.md", "---\nstate: open\n---\n# First\n\nDo it.\n");
    const batch = folder(stage, [{ step: "gates" }, { step: "merge" }]);
    expect((await go(batch)).code).toBe(0);
    const sha = stage.git("app", "rev-parse", "main");
    const { run } = await stage.report();
    setTo(stage, "open");
    expect((await go(batch)).code).toBe(0);
    expect(agents()).toBe(2);
    expect(lastPrompt()).toContain(`a person reopened it in the tracker after run ${run} had landed it as ${sha.slice(0, 12)}`);
    expect(lastPrompt()).not.toContain("This is the first attempt");
    expect((await stage.report()).interventions.total).toBe(0);
  });

  test("a person reverts a shipped change and reopens its ticket: what is no longer in the base is not named", async () => {
    const { stage, go, lastPrompt } = scene();
    stage.write("tickets/T-1.md", "---\nstate: open\n---\n# First\n\nDo it.\n");
    const batch = folder(stage, [{ step: "gates" }, { step: "merge" }]);
    expect((await go(batch)).code).toBe(0);
    stage.git("app", "revert", "--no-edit", "HEAD");
    setTo(stage, "open");
    expect((await go(batch)).code).toBe(0);
    expect(lastPrompt()).toContain("This is the first attempt");
  });

  test("the last re-verification covers what earlier runs landed", async () => {
    const { stage, finish, go, isUp } = scene();
    stage.write("tickets/T-1.md", "---\nstate: open\n---\n# First\n\nDo it.\n");
    isUp(true);
    const batch = folder(stage, finish);
    expect((await go(batch)).code).toBe(0);
    const sha = stage.git("app", "rev-parse", "main");
    const again = await go(batch);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining("1 landed ticket holds") });
    isUp(false);
    writeFileSync(stage.path("idle"), "");
    expect((await go(batch)).code).toBe(1);
    expect(readFileSync(stage.path("tickets/T-1.md"), "utf8")).toContain("state: open");
    expect((await stage.report()).tickets).toMatchObject([{ state: "open", landed: { sha } }]);
    expect(await stage.run(["verify"])).toMatchObject({ code: 1 });
    isUp(true);
    expect(await stage.run(["verify"])).toMatchObject({ code: 0 });
  });

  test("a person reverts a shipped change and leaves its ticket done: it is reopened, and an agent starts", async () => {
    const { stage, go, agents } = scene();
    stage.write("tickets/T-1.md", "---\nstate: open\n---\n# First\n\nDo it.\n");
    const batch = folder(stage, [{ step: "gates" }, { step: "merge" }]);
    expect((await go(batch)).code).toBe(0);
    stage.git("app", "revert", "--no-edit", "HEAD");
    expect(await go(batch)).toMatchObject({ code: 0, stdout: expect.stringContaining("nothing of its change is left") });
    expect(agents()).toBe(2);
    expect(stage.git("app", "show", "main:T-1.txt")).toBe("a line");
  });
});

describe("a base that a check without a report fails on when the run ends", { timeout: 240_000 }, () => {
  test("is broken in the next run too: finished work waits, and lands without an agent once the check passes", async () => {
    using stage = new Stage();
    stage.repo("app");
    stage.agent(`fs.appendFileSync("${stage.path("agents")}", ticket + "\\n");
fs.writeFileSync(ticket + ".txt", "a line\\n");
if (ticket === "T-2") fs.writeFileSync("bad.txt", "bad\\n");`);
    const check = { step: "check", name: "good", command: ["test", "!", "-e", "bad.txt"] };
    const checked = [{ step: "gates" }, check, { step: "merge" }];
    const batch = stage.batch([
      { id: "T-1", finish: checked },
      { id: "T-2", finish: [{ step: "gates" }, { step: "merge" }], dependsOn: ["T-1"] },
      { id: "T-3", finish: checked, dependsOn: ["T-2"] },
    ]);
    const agents = () => readFileSync(stage.path("agents"), "utf8").trim().split("\n");
    const go = () => stage.run([batch, "--headless"]);
    const waits = { code: 1, stdout: expect.stringMatching(/the base of app is broken: [0-9a-f]{7} of T-2: test/) };
    expect(await go()).toMatchObject(waits);
    expect(await go()).toMatchObject(waits);
    expect(agents()).toEqual(["T-1", "T-2", "T-3"]);
    expect(await stage.report()).toMatchObject({ claims: { made: 0, gap: 0 }, incidents: 1 });
    stage.git("app", "rm", "-q", "bad.txt");
    stage.git("app", "commit", "-q", "-m", "without what is bad");
    expect(await go()).toMatchObject({ code: 0, stdout: expect.stringContaining("the base of app passes again") });
    expect(agents()).toEqual(["T-1", "T-2", "T-3"]);
    expect(stage.git("app", "show", "main:T-3.txt")).toBe("a line");
  });
});
