import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { TicketId } from "../../../src/domain/values/ids.ts";
import type { HealTask } from "../../../src/ports/agent.ts";
import { cleanUp } from "../../adapters/vcs/real-repo.ts";
import { addHint, answer, ended, HINT, hinted, openHealing, PROMPTS, recorded } from "../heal-stage.ts";
import { endless } from "../stage.ts";

cleanUp();
const T1 = TicketId.parse("T-1");

describe("a heal", () => {
  test("adds a hint: the ticket is tried again with it, and later runs begin with it", async () => {
    const { stage, home, folder } = await openHealing({});
    using _ = stage;
    stage.start();
    const state = await stage.ended();
    expect(state.end).toMatchObject({ exitCode: 0 });
    expect(ended(stage)).toEqual([{ outcome: "accepted", why: "it changed hints.md", changed: ["hints.md"] }]);
    expect(stage.of("tripwire-ended")).toHaveLength(2);
    expect(readFileSync(join(folder, "app", "0", "hints.md"), "utf8")).toBe("");
    expect(readFileSync(join(folder, "app", "1", "hints.md"), "utf8")).toBe(HINT);
    expect(readdirSync(home)).toEqual(["changes"]);
    expect(recorded(home)).toMatchObject({ "r-1-1": { state: "kept", moved: ["T-1"], rootCause: "nobody names the file" } });
    const later = await openHealing({}, home);
    using __ = later.stage;
    later.stage.start();
    expect((await later.stage.ended()).heals).toMatchObject({ started: 0 });
    expect(later.stage.ticket(T1).phase).toBe("done");
  });

  test("is told of the stop: what is left, the evidence, the end of the log; as data", async () => {
    const prompts: string[] = [];
    const { stage } = await openHealing({
      work: async (task) => {
        writeFileSync(task.logFile, `${"noise\n".repeat(9_000)}\u001b[31mno rule to make target\u001b[0m\n`);
        return hinted(task);
      },
      heal: (task) => {
        prompts.push(readFileSync(task.promptFile, "utf8"));
        expect(readdirSync(task.worktree).toSorted()).toEqual(["hints.md", "tools", "transients.json", "worker.md"]);
        return answer(task);
      },
    });
    using _ = stage;
    stage.start();
    expect((await stage.ended()).end).toMatchObject({ kind: "not-done", reason: expect.stringContaining("T-1 stalled") });
    expect(ended(stage)).toEqual([{ outcome: "nothing", why: "it changed nothing", changed: [] }]);
    const [prompt = ""] = prompts;
    const [, nonce] = /DATA BEGIN T-1 ([0-9a-f]{32})/.exec(prompt) ?? [];
    expect(prompt.split(`${nonce}`)).toHaveLength(6);
    expect(prompt).toContain("1 of 1 ticket is open: T-1 stalled");
    expect(prompt).toContain(
      'agent "agent" failed: the agent exited with code 1; it printed last: "I do not know which file"\nI do not know which file',
    );
    expect(prompt).toContain("\nno rule to make target\nDATA END T-1");
    expect(prompt.length).toBeLessThan(20_000);
  });

  test.each<[string, (task: HealTask) => void, RegExp]>([
    [
      "a template that names what has no value",
      (t) => edit(t, "worker.md", "{{id}}", "{{id}} {{oracle}}"),
      /^worker.md cannot be filled: .*\{\{oracle\}\}/,
    ],
    [
      "a template that loses the finish line",
      (t) => edit(t, "worker.md", "{{finish}}", ""),
      /^worker.md cannot be filled: .*no place for finish/,
    ],
    [
      "a template that is too long",
      (t) => edit(t, "worker.md", "{{id}}", `{{id}}${"y".repeat(20_000)}`),
      /^worker.md cannot be filled: the prompt is \d+ characters/,
    ],
    [
      "a template with what nobody sees",
      (t) => edit(t, "worker.md", "{{id}}", "{{id}}\u202e"),
      /^worker.md contains invisible characters$/,
    ],
    ["hints without end", (t) => writeFileSync(join(t.worktree, "hints.md"), "y".repeat(4_001)), /^hints.md is longer than 4000/],
    [
      "hints that steer a terminal",
      (t) => writeFileSync(join(t.worktree, "hints.md"), "\u001b[2J"),
      /^hints.md contains invisible/,
    ],
    [
      "transients that are none",
      (t) => edit(t, "transients.json", '"about"', '"abort"'),
      /^transients.json cannot be used: .*abort/,
    ],
    [
      "a transient that takes any failure",
      (t) => edit(t, "transients.json", ": Text file busy$", ".*"),
      /^transients.json cannot be used: .*narrow/,
    ],
    [
      "a transient that gives checks a retry",
      (t) => edit(t, "transients.json", '"steps": ["prepare"],', '"steps": ["check"],'),
      /^transients.json gives checks a retry: "package-download-cut"$/,
    ],
    [
      "a wider transient of checks",
      (t) => edit(t, "transients.json", ": Text file busy$", "AssertionErr"),
      /^transients.json (gives checks a retry: "text-file-busy"|cannot be used)/,
    ],
    [
      "too many scripts",
      (t) => tools(t, Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`t${i}`, "#!/bin/sh\n"]))),
      /^tools holds more than 8 files$/,
    ],
    [
      "a script that is too long",
      (t) => tools(t, { big: `#!/bin/sh\n${"#".repeat(17_000)}` }),
      /^tools\/big is longer than 16384 bytes$/,
    ],
    ["a script that names no program", (t) => tools(t, { run: "echo" }), /^tools\/run does not begin with #! and a program$/],
    [
      "a script with a name that is none",
      (t) => tools(t, { "Run me": "#!/bin/sh\n" }),
      /^tools holds Run me, which is not a valid name of a script$/,
    ],
    ["a link among the scripts", (t) => symlinkSync("/etc/hostname", join(t.worktree, "tools", "run")), /^tools\/run is a link$/],
    [
      "a folder among the scripts",
      (t) => mkdirSync(join(t.worktree, "tools", "run")),
      /^tools\/run (is not a plain file|cannot be read)/,
    ],
    ["a link in the place of a file", (t) => relink(t, "hints.md", "/etc/hostname"), /^hints.md is a link$/],
    ["a file less", (t) => rmSync(join(t.worktree, "hints.md")), /^hints.md is gone$/],
    [
      "a link in the place of its folder",
      (t) => (rmSync(t.worktree, { recursive: true }), symlinkSync(PROMPTS, t.worktree)),
      /^the harness's folder is not a folder$/,
    ],
  ])("that leaves %s is refused, and the real stop is shown", async (_, act, why) => {
    const { stage, home, folder } = await openHealing({ heal: (task) => (answer(task), act(task), undefined) });
    using __ = stage;
    stage.start();
    expect((await stage.ended()).end).toMatchObject({
      kind: "not-done",
      exitCode: 1,
      reason: expect.stringContaining("T-1 stalled"),
    });
    expect(ended(stage)).toMatchObject([{ outcome: "rejected", why: expect.stringMatching(why) }]);
    expect(existsSync(join(folder, "app", "1"))).toBe(false);
    expect(existsSync(home)).toBe(false);
  });

  test("that leaves more than the three files is told of them, and they go nowhere", async () => {
    const { stage, home, folder } = await openHealing({
      heal: (task) => {
        for (const name of ["reviewer.md", "oracle.mjs", "limits.json"]) writeFileSync(join(task.worktree, name), "exit 0");
        return addHint(task);
      },
    });
    using _ = stage;
    stage.start();
    await stage.ended();
    expect(ended(stage)).toMatchObject([
      { outcome: "accepted", why: "it changed hints.md; unknown files were ignored: limits.json, oracle.mjs, reviewer.md" },
    ]);
    expect(readdirSync(join(folder, "app", "1")).toSorted()).toEqual(["hints.md", "tools", "transients.json", "worker.md"]);
    expect(recorded(home)).toMatchObject({ "r-1-1": { files: [{ path: "hints.md" }] } });
  });

  test.each<[string, string | undefined, RegExp]>([
    ["is missing", undefined, /^it left no answer: answer.json is missing$/],
    ["is not JSON", "{", /^it left no answer: answer.json is not valid JSON/],
    ["is of no kind", `{"kind": "maybe"}`, /^it left no answer: answer.json .*kind/],
    [
      "predicts nothing",
      `{"kind": "gap", "rootCause": "x", "change": "y", "prediction": []}`,
      /^it left no answer: answer.json prediction/,
    ],
    [
      "names a foreign ticket",
      `{"kind": "gap", "rootCause": "x", "change": "y", "prediction": ["T-9"]}`,
      /^it left no answer: answer.json names T-9, which is not a ticket of this run$/,
    ],
    [
      "is a wall without evidence",
      `{"kind": "wall", "rootCause": "x", "change": "y", "prediction": ["T-1"], "humanStep": "z"}`,
      /^it left no answer: answer.json evidence/,
    ],
  ])("whose answer %s has failed, whatever it wrote beside it", async (_, text, why) => {
    const { stage, home } = await openHealing({
      heal: (task) => {
        addHint(task);
        const file = join(task.worktree, "answer.json");
        if (text === undefined) rmSync(file);
        else writeFileSync(file, text);
        return undefined;
      },
    });
    using __ = stage;
    stage.start();
    expect((await stage.ended()).end).toMatchObject({ kind: "not-done", reason: expect.stringContaining("T-1 stalled") });
    expect(ended(stage)).toMatchObject([{ outcome: "failed", why: expect.stringMatching(why), changed: [] }]);
    expect(existsSync(home)).toBe(false);
  });

  test("that claims a wall is rejected where no reviewer can rule on it, as a worker's blocker would be", async () => {
    const evidence = [{ command: ["false"], exitCode: 1, output: "" }];
    const { stage } = await openHealing({ heal: (task) => answer(task, { kind: "wall", evidence, humanStep: "buy a licence" }) });
    using __ = stage;
    stage.start();
    expect((await stage.ended()).end).toMatchObject({ kind: "not-done", reason: expect.stringContaining("T-1 stalled") });
    const why = "it claims a wall, and the batch names no reviewer to rule on it: buy a licence";
    expect(ended(stage)).toEqual([{ outcome: "rejected", why, changed: [] }]);
  });

  test.each([
    ["gives up", { exitCode: 3 }, /^its agent exited with code 3$/],
    ["is out of time", { ending: "out-of-time" as const, exitCode: null }, /^its agent /],
    [
      "has no key",
      { exitCode: 1, stop: { kind: "authentication" as const, says: "bad\u001b[31m key" } },
      /^its agent stopped early \(authentication\): bad key$/,
    ],
  ])("whose agent %s has failed, whatever it wrote, and costs what it cost", async (_, result, why) => {
    const { stage } = await openHealing({ heal: (task) => (addHint(task), { ...result, costUsd: 0.5 }) });
    using __ = stage;
    stage.start();
    expect(await stage.ended()).toMatchObject({ spentUsd: 0.5, reservedUsd: 0, end: { kind: "not-done" } });
    expect(ended(stage)).toMatchObject([{ outcome: "failed", why: expect.stringMatching(why), changed: [] }]);
  });

  test("does not start where other runs have spent the day's money", async () => {
    let heals = 0;
    const dayBudget = {
      take: (fence: number) => (fence === 1 ? { ok: true as const } : { ok: false as const, othersUsd: 140 }),
      settle: () => undefined,
    };
    const { stage } = await openHealing({ heal: () => ((heals += 1), undefined) }, undefined, () => ({ dayBudget }));
    using _ = stage;
    stage.start();
    expect(await stage.ended()).toMatchObject({ spentTodayUsd: 140, end: { kind: "not-done" } });
    expect([heals, ended(stage)[0]?.why]).toEqual([0, "other runs have spent the day's money"]);
  });

  test("does not start if the cost of other sessions is unknown, and the run says why", async () => {
    let looks = 0;
    let heals = 0;
    const dayBudget = {
      look: () => Promise.resolve(++looks > 1 ? "one.jsonl: line 1 is not JSON" : undefined),
      take: () => ({ ok: true as const }),
      settle: () => undefined,
    };
    const { stage } = await openHealing({ heal: () => ((heals += 1), undefined) }, undefined, () => ({ dayBudget }));
    using _ = stage;
    stage.start();
    expect(await stage.ended()).toMatchObject({ halted: { kind: "spend-unknown" }, end: { kind: "not-done" } });
    expect([heals, ended(stage)[0]?.why]).toEqual([0, "one.jsonl: line 1 is not JSON"]);
  });

  test("is cancelled by a stop", async () => {
    const { stage } = await openHealing({ heal: (task) => endless(task as never) });
    using _ = stage;
    stage.start();
    await stage.until("heal-agent-started");
    stage.engine.orchestrator.stop("SIGTERM");
    expect((await stage.ended()).end).toMatchObject({ kind: "interrupted", exitCode: 130 });
    expect(ended(stage)).toEqual([{ outcome: "failed", why: "its agent was cancelled", changed: [] }]);
  });
});

function tools(task: HealTask, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(task.worktree, "tools", name), text);
}

function edit(task: HealTask, file: string, from: string, to: string): void {
  const path = join(task.worktree, file);
  const before = readFileSync(path, "utf8");
  if (!before.includes(from)) throw new Error(`${file} has no ${from}`);
  writeFileSync(
    path,
    before.replace(from, () => to),
  );
}

function relink(task: HealTask, file: string, to: string): void {
  rmSync(join(task.worktree, file));
  symlinkSync(to, join(task.worktree, file));
}
