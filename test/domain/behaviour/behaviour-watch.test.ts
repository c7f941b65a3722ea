import { describe, expect, test } from "vitest";
import { GATES, overallLevel, risenGates } from "../../../src/domain/behaviour/signals.ts";
import type { ToolAction } from "../../../src/domain/behaviour/tool-action.ts";
import type { AgentEvent } from "../../../src/domain/run/agent-event.ts";
import { BEHAVIOURS, type Behaviour } from "../../agents/behaviours.ts";
import { aWatch, CALM, EXPECTED, levelsOf, recording, replay, VENDORS } from "./replay.ts";

describe("recordings of the vendors' programs", () => {
  describe.each(Object.keys(BEHAVIOURS) as Behaviour[])("an agent that %s", (behaviour) => {
    test.each(VENDORS)("has the same signals with %s", (vendor) => {
      const { recall: _, ...levels } = levelsOf(replay(recording(vendor, behaviour)));
      expect(levels).toEqual({ ...CALM, ...EXPECTED[behaviour] });
    });

    test("has the same reasons with all of them", () => {
      const reasons = VENDORS.map((vendor) => GATES.map((gate) => replay(recording(vendor, behaviour))[gate].why));
      // A repeated command is named as the program names its tool.
      const bare = reasons.map((whys) => whys.map((why) => why?.replace(/(?:Bash|exec|run_shell_command|bash): /, "")));
      expect(new Set(bare.map((whys) => JSON.stringify(whys))).size).toBe(1);
    });
  });

  test.each([
    ["claude", "pass"],
    ["codex", "skip"],
    ["gemini", "skip"],
    ["opencode", "pass"],
  ])("%s: RECALL is %s where no context was shortened", (vendor, level) => {
    expect(replay(recording(vendor, "works")).recall.level).toBe(level);
  });

  test("output that is no known event leaves all unknown", () => {
    const signals = replay('I read a file\n{"type":"mine"}\nnode check.mjs\n');
    expect(overallLevel(signals)).toBe("skip");
  });
});

const act = (action: ToolAction, result: Partial<Extract<AgentEvent, { what: "result" }>> = {}): readonly AgentEvent[] => [
  { what: "tool", text: JSON.stringify(action), action, call: "1" },
  { what: "result", text: "", failed: false, call: "1", ...result },
];
const read = (path: string) => act({ does: "read", paths: [path] });
const edit = (path: string) => act({ does: "edit", paths: [path] });
const run = (command: string, failed = false, text = "") => act({ does: "run", command }, { failed, text });
const gone = { failed: true, text: "File not found" };
const times = <T>(n: number, of: (i: number) => readonly T[]): readonly T[] => Array.from({ length: n }, (_, i) => of(i)).flat();

function signalsAfter(events: readonly AgentEvent[], over: Parameters<typeof aWatch>[0] = {}) {
  const watch = aWatch(over);
  for (const event of events) watch.take(event);
  return watch.signals;
}

describe("EXIST", () => {
  const ask = (path: string) => act({ does: "read", paths: [path] }, gone);
  test.each([
    [2, "pass"],
    [3, "warn"],
    [7, "warn"],
    [8, "fail"],
  ])("%i missing files: %s", (n, level) => {
    expect(signalsAfter(times(n, (i) => ask(`${i}.ts`))).exist.level).toBe(level);
  });

  test("counts a file once, in all spellings", () => {
    const spellings = ["a/b.ts", "./a/b.ts", "/work/worktree/a/b.ts", "a/c/../b.ts"];
    expect(signalsAfter(spellings.flatMap(ask)).exist.level).toBe("pass");
  });

  test("counts texts that are not in a file, also by shell commands that only read", () => {
    const events = [
      ...act({ does: "edit", paths: ["a.ts"] }, { failed: true, text: "String to replace not found in file." }),
      ...run("sed -n 1,5p nope.ts", true, "sed: can't read nope.ts: No such file or directory"),
      ...run("cat nope2.ts && ls", false, "cat: nope2.ts: No such file or directory"),
    ];
    expect(signalsAfter(events).exist).toEqual({ level: "warn", why: "asked for 3 files or texts that are not there" });
  });

  test("a program that fails because of a missing file asked for none", () => {
    expect(signalsAfter(times(9, (i) => run(`node ${i}.mjs`, true, "Cannot find module: no such file"))).exist.level).toBe(
      "pass",
    );
  });

  test("fails at once if a rule of the base is gone", () => {
    expect(signalsAfter([], { lostRules: ["never do this"] }).exist).toEqual({
      level: "fail",
      why: "1 rule of the base is gone",
    });
  });
});

describe("RELEVANCE", () => {
  test("fails at an edit of a protected path in any spelling, and not at reading it", () => {
    expect(signalsAfter(read("test/a.ts")).relevance.level).toBe("pass");
    for (const path of ["test/a.ts", "./test/a.ts", "src/../test/a.ts", "/work/worktree/test/a.ts"])
      expect(signalsAfter(edit(path)).relevance.level, path).toBe("fail");
    expect(signalsAfter(run("sed -i s/1/2/ test/a.ts")).relevance.level).toBe("fail");
    expect(signalsAfter(run("echo 1 > test/a.ts")).relevance.level).toBe("fail");
    expect(signalsAfter(edit("/elsewhere/test/a.ts")).relevance.level).toBe("pass");
  });

  test("warns at edits in five top-level folders, and in a danger zone", () => {
    expect(signalsAfter(times(4, (i) => edit(`${i}/a.ts`))).relevance.level).toBe("pass");
    expect(signalsAfter(times(5, (i) => edit(`${i}/a.ts`))).relevance.level).toBe("warn");
    const zone = signalsAfter(edit("pay/a.ts"), { isZone: (path) => path.startsWith("pay/") });
    expect(zone.relevance).toEqual({ level: "warn", why: "edits in danger zones: pay/a.ts" });
  });
});

describe("ROOT_CAUSE", () => {
  test.each([
    [2, "pass"],
    [3, "warn"],
    [5, "fail"],
  ])("%i edits of a file, each after a failed command: %s", (n, level) => {
    const events = [...edit("a.ts"), ...times(n, () => [...run("npm test", true), ...edit("a.ts")])];
    expect(signalsAfter(events).rootCause.level).toBe(level);
  });

  test("edits without a failure in between are ordinary work, and so are failures of other commands that only read", () => {
    expect(signalsAfter(times(9, () => edit("a.ts"))).rootCause.level).toBe("pass");
    expect(signalsAfter(times(9, () => [...run("grep -rn x .", true), ...edit("a.ts")])).rootCause.level).toBe("pass");
  });
});

describe("RECALL", () => {
  test.each([
    [0, "pass"],
    [1, "warn"],
    [3, "fail"],
  ])("%i compactions: %s", (n, level) => {
    expect(signalsAfter([{ what: "compactions-told" }, ...times(n, () => [{ what: "compacted" } as const])]).recall.level).toBe(
      level,
    );
  });

  test("a rule that is broken again after it was told", () => {
    const watch = aWatch();
    const levels = times(5, () => {
      watch.blocked("no force push");
      return [watch.signals.recall.level];
    });
    expect(levels).toEqual(["skip", "pass", "warn", "warn", "fail"]);
    watch.blocked("another rule");
    expect(watch.signals.recall.why).toBe("broke a rule again, 4 times: no force push");
  });
});

describe("MOMENTUM", () => {
  test.each([
    [19, "pass"],
    [20, "warn"],
    [60, "fail"],
  ])("%i actions in a row that change and run nothing: %s", (n, level) => {
    expect(signalsAfter(times(n, (i) => read(`${i}.ts`))).momentum.level).toBe(level);
  });

  test("an edit or a program in between begins the count anew; a level stays", () => {
    const calm = times(3, (i) => [...times(19, (j) => read(`${i}-${j}.ts`)), ...edit("a.ts")]);
    expect(signalsAfter(calm).momentum.level).toBe("pass");
    expect(signalsAfter([...times(20, (i) => read(`${i}.ts`)), ...edit("a.ts")]).momentum.level).toBe("warn");
  });

  test.each([
    [3, "pass"],
    [4, "warn"],
    [7, "fail"],
  ])("%i times the same command with the same result: %s", (n, level) => {
    expect(signalsAfter(times(n, (i) => run("npm test", true, `1 failed in ${i * 7} ms`))).momentum.level).toBe(level);
  });

  test("another result, another part of a file, and a change in between are no repetition", () => {
    expect(signalsAfter(times(9, (i) => run("npm test", true, `${i} failed`))).momentum.level).toBe("pass");
    const part = (i: number) => act({ does: "read", paths: ["a.ts"], range: String(i) });
    expect(signalsAfter(times(9, part)).momentum.level).toBe("pass");
    expect(signalsAfter(times(9, () => [...run("npm test", true, "1 failed"), ...edit("a.ts")])).momentum.level).toBe("pass");
  });
});

test("fail comes before warn before pass, and unknown counts as no finding", () => {
  const calm = signalsAfter(read("a.ts"));
  expect(overallLevel(calm)).toBe("pass");
  expect(overallLevel({ ...calm, exist: { level: "warn" } })).toBe("warn");
  expect(overallLevel({ ...calm, exist: { level: "warn" }, recall: { level: "fail" } })).toBe("fail");
  expect(risenGates(undefined, calm)).toEqual([]);
  expect(risenGates(calm, { ...calm, exist: { level: "warn" } })).toEqual(["exist"]);
  expect(risenGates({ ...calm, exist: { level: "warn" } }, { ...calm, exist: { level: "warn", why: "more" } })).toEqual([]);
});
