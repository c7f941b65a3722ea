import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readTransientClasses } from "../../src/loop/heal/harness-check.ts";
import type { AgentResult, HealTask } from "../../src/ports/agent.ts";
import { APP, cleanUp, tempDir } from "../adapters/vcs/real-repo.ts";
import { addHint, answer, ended, HINT, openHealing, recorded, SHIPPED } from "./heal-stage.ts";
import { oneFile } from "./stage.ts";

cleanUp();

/** An agent whose engine dies as soon as it has started. */
const dying = (task: HealTask) =>
  new Promise<Partial<AgentResult>>((resolve) => {
    task.signal.addEventListener("abort", () => resolve({ ending: "aborted", exitCode: null, signal: "SIGKILL" }));
    task.onStart({ pid: 999_999_999, startTime: "1" });
  });

describe("an engine that dies", () => {
  test("in a heal: the next one counts it as used, leaves the harness as it was, and shows the real stop", async () => {
    const { stage, folder, wired } = await openHealing({ heal: (task) => (addHint(task), dying(task)) });
    using _ = stage;
    await stage.crashAt((event) => event.type === "heal-agent-started");
    await stage.crashAndReopen(wired);
    await stage.resume();
    expect((await stage.ended()).end).toMatchObject({ kind: "not-done", reason: expect.stringContaining("T-1 stalled") });
    expect(ended(stage)).toEqual([{ outcome: "lost", why: "its engine was lost", changed: [] }]);
    expect(stage.state.heals).toMatchObject({ started: 1, accepted: 0, versions: {} });
    expect(await stage.engine.ctx.harness.hints(APP)).toBe("");
    expect(readdirSync(join(folder, "app"))).toEqual(["0"]);
  });

  test("after it was accepted and before it was proven: the next one proves the oracle, goes on with it and keeps it", async () => {
    const { stage, home, wired } = await openHealing({});
    using _ = stage;
    await stage.crashAt((event) => event.type === "heal-ended");
    expect(existsSync(home)).toBe(false);
    await stage.crashAndReopen(wired);
    await stage.resume();
    expect((await stage.ended()).end).toMatchObject({ exitCode: 0 });
    expect(recorded(home)).toMatchObject({ "r-1-1": { state: "kept" } });
  });

  test("while a heal that moved its stall is recorded: the next one records it, once", async () => {
    const { stage, home, wired } = await openHealing({});
    using _ = stage;
    await stage.crashAt((event) => event.type === "heal-keeping");
    await stage.crashAndReopen(wired);
    await stage.resume();
    expect((await stage.ended()).end).toMatchObject({ exitCode: 0 });
    expect(stage.of("heal-kept")).toMatchObject([{ n: 1, as: "kept" }]);
    expect(Object.keys(recorded(home))).toEqual(["r-1-1"]);
  });
});

describe("a heal after which the tripwire fires", () => {
  const proofs = (...results: readonly boolean[]) => {
    let n = 0;
    const check = () => Promise.resolve({ ok: results[n++] ?? false, problem: "the oracle has changed", canaries: 0, ms: 0 });
    return () => ({ tripwire: { check } });
  };

  test("is undone, no attempt saw it, and the run ends with its original reason", async () => {
    const { stage, home } = await openHealing({}, undefined, proofs(true, false, true));
    using _ = stage;
    stage.start();
    const { end, heals } = await stage.ended();
    expect(end).toMatchObject({ kind: "not-done", exitCode: 1, reason: stage.of("heal-started")[0]?.reason });
    expect(heals).toMatchObject({ versions: {}, accepted: 0, past: [{ reverted: "the oracle has changed", moved: [] }] });
    expect(stage.tasks).toHaveLength(1);
    expect(await stage.engine.ctx.harness.hints(APP)).toBe("");
    expect(existsSync(home)).toBe(false);
  });

  test("is undone, and where it fires without it too, the run is not believed", async () => {
    const { stage, home } = await openHealing({}, undefined, proofs(true, false, false));
    using _ = stage;
    stage.start();
    expect((await stage.ended()).end).toMatchObject({ kind: "tripwire", exitCode: 3 });
    expect(stage.tasks).toHaveLength(1);
    expect(existsSync(home)).toBe(false);
  });
});

describe("a harness of the machine", () => {
  test("that is broken is told, and what ships is used", async () => {
    const home = tempDir();
    writeFileSync(join(home, "worker.md"), "{{nothing}}");
    writeFileSync(join(home, "hints.md"), "Mind the gap.");
    symlinkSync("/etc/passwd", join(home, "transients.json"));
    const { stage, warnings } = await openHealing({ work: oneFile }, home);
    using _ = stage;
    const { harness } = stage.engine.ctx;
    expect(await harness.worker(APP)).toBe(SHIPPED["worker.md"]);
    expect(await harness.hints(APP)).toBe("Mind the gap.");
    expect(await harness.transients(APP)).toEqual(readTransientClasses(SHIPPED["transients.json"]));
    expect(warnings).toHaveLength(2);
    expect(warnings.join("\n")).toMatch(
      /worker\.md cannot be used, the one that ships is: cannot be filled.*\n.*transients\.json.* is a link$/,
    );
  });

  test("of a run that is broken while it lives is told once, and what ships is used", async () => {
    const { stage, warnings, folder } = await openHealing({ work: oneFile });
    using _ = stage;
    rmSync(join(folder, "app", "0", "worker.md"));
    const { harness } = stage.engine.ctx;
    expect([await harness.worker(APP), await harness.worker(APP)]).toEqual([SHIPPED["worker.md"], SHIPPED["worker.md"]]);
    expect(warnings).toEqual([expect.stringMatching(/worker\.md cannot be used, the one that ships is: is gone$/)]);
  });

  test("that cannot be written costs later runs the heal, and this one nothing", async () => {
    const home = join(tempDir(), "file");
    writeFileSync(home, "");
    const { stage } = await openHealing({}, home);
    using _ = stage;
    stage.start();
    expect((await stage.ended()).end).toMatchObject({ exitCode: 0 });
    expect(stage.of("heal-kept")).toMatchObject([{ as: "failed", why: expect.stringContaining("could not be recorded") }]);
  });
});

describe("a heal that moved its stall", () => {
  const begin = async (home: string, key: string) => {
    const { stage } = await openHealing({ work: oneFile }, home, () => ({}), key);
    using _ = stage;
    return stage.engine.ctx.harness.hints(APP);
  };

  test("is in later runs on the same repository, and in no other's", async () => {
    const { stage, home } = await openHealing({});
    using _ = stage;
    stage.start();
    await stage.ended();
    expect(await begin(home, "repository-1")).toBe(HINT);
    expect(await begin(home, "repository-2")).toBe("");
    expect(existsSync(join(home, "hints.md"))).toBe(false);
  });

  test("and what a person has written meanwhile stand beside each other", async () => {
    const { stage, home } = await openHealing({});
    using _ = stage;
    stage.start();
    await stage.ended();
    writeFileSync(join(home, "hints.md"), "A person's.\n");
    expect(await begin(home, "repository-1")).toBe(`A person's.\n${HINT}`);
    expect(await begin(home, "repository-2")).toBe("A person's.\n");
  });
});

test("what a heal added without moving anything is in no later heal's copy, and in no later run", async () => {
  const copies: string[] = [];
  const { stage, home } = await openHealing({
    limits: { heals: 2 },
    heal: (task) => {
      const file = join(task.worktree, "hints.md");
      copies.push(readFileSync(file, "utf8"));
      if (task.n === 1) writeFileSync(file, "Wear a red hat.\n");
      return task.n === 1 ? answer(task) : addHint(task);
    },
  });
  using _ = stage;
  stage.start();
  expect((await stage.ended()).end).toMatchObject({ exitCode: 0 });
  expect(copies).toEqual(["", ""]);
  expect(Object.keys(recorded(home))).toEqual(["r-1-2"]);
  expect(JSON.stringify(recorded(home))).not.toContain("red hat");
  const later = await openHealing({ work: oneFile }, home);
  using __ = later.stage;
  expect(await later.stage.engine.ctx.harness.hints(APP)).toBe(HINT);
});

describe("a script that an agent wrote", () => {
  const withScript =
    (name: string, text = "#!/bin/sh\n# says where\n") =>
    (task: HealTask) => {
      mkdirSync(join(task.worktree, "tools"), { recursive: true });
      writeFileSync(join(task.worktree, "tools", name), text);
      return addHint(task);
    };

  test.each([
    ["is kept by a person alone, with all that came with it", withScript("where"), "waiting"],
    ["also if it is not called like one", withScript("notes.txt", "#!/usr/bin/env node\n"), "waiting"],
    ["and a heal without one is kept by itself", addHint, "kept"],
  ] as const)("%s", async (_, heal, state) => {
    const { stage, home } = await openHealing({ heal });
    using __ = stage;
    stage.start();
    expect((await stage.ended()).end).toMatchObject({ exitCode: 0 });
    expect(recorded(home)).toMatchObject({ "r-1-1": { state } });
    expect(stage.of("heal-kept")).toMatchObject([{ as: state }]);
    const next = await openHealing({}, home);
    using ___ = next.stage;
    const { harness } = next.stage.engine.ctx;
    expect([await harness.hints(APP), await harness.tools(APP)]).toEqual([state === "kept" ? HINT : "", undefined]);
  });

  test("reaches later runs once a person has kept it", async () => {
    const { stage, home } = await openHealing({ heal: withScript("where") });
    using _ = stage;
    stage.start();
    await stage.ended();
    const [file = ""] = readdirSync(join(home, "changes"));
    const record = JSON.parse(readFileSync(join(home, "changes", file), "utf8"));
    writeFileSync(join(home, "changes", file), JSON.stringify({ ...record, state: "kept" }));
    const next = await openHealing({}, home);
    using __ = next.stage;
    expect(await next.stage.engine.ctx.harness.tools(APP)).toMatchObject({ tools: [{ name: "where", about: "says where" }] });
  });
});
