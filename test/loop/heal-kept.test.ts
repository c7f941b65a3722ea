import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { classesOf } from "../../src/loop/heal/harness-check.ts";
import type { AgentResult, HealTask } from "../../src/ports/agent.ts";
import { cleanUp, tempDir } from "../adapters/vcs/real-repo.ts";
import { addHint, ended, HINT, openHealing, SHIPPED } from "./heal-stage.ts";
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
    expect(stage.state.heals).toMatchObject({ started: 1, accepted: 0, version: 0 });
    expect(await stage.engine.ctx.harness.hints()).toBe("");
    expect(readdirSync(folder)).toEqual(["0"]);
  });

  test("after it was accepted and before it was proven: the next one proves the oracle, goes on with it and keeps it", async () => {
    const { stage, home, wired } = await openHealing({});
    using _ = stage;
    await stage.crashAt((event) => event.type === "heal-ended");
    expect(existsSync(home)).toBe(false);
    await stage.crashAndReopen(wired);
    await stage.resume();
    expect((await stage.ended()).end).toMatchObject({ exitCode: 0 });
    expect(readFileSync(join(home, "hints.md"), "utf8")).toBe(HINT);
  });
});

test("a heal after which the tripwire fires is kept by nobody, and the run is not believed", async () => {
  let proofs = 0;
  const check = () => Promise.resolve({ ok: ++proofs === 1, problem: "the oracle has changed", canaries: 0, ms: 0 });
  const { stage, home } = await openHealing({}, undefined, () => ({ tripwire: { check } }));
  using _ = stage;
  stage.start();
  expect((await stage.ended()).end).toMatchObject({ kind: "tripwire", exitCode: 3 });
  expect(existsSync(home)).toBe(false);
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
    expect(await harness.worker()).toBe(SHIPPED["worker.md"]);
    expect(await harness.hints()).toBe("Mind the gap.");
    expect(await harness.transients()).toEqual(classesOf(SHIPPED["transients.json"]));
    expect(warnings).toHaveLength(2);
    expect(warnings.join("\n")).toMatch(
      /worker\.md cannot be used, the one that ships is: cannot be filled.*\n.*transients\.json.* is a link$/,
    );
  });

  test("of a run that is broken while it lives is told once, and what ships is used", async () => {
    const { stage, warnings, folder } = await openHealing({ work: oneFile });
    using _ = stage;
    rmSync(join(folder, "0", "worker.md"));
    const { harness } = stage.engine.ctx;
    expect([await harness.worker(), await harness.worker()]).toEqual([SHIPPED["worker.md"], SHIPPED["worker.md"]]);
    expect(warnings).toEqual([expect.stringMatching(/worker\.md cannot be used, the one that ships is: is gone$/)]);
  });

  test("is changed once by a run, whatever other runs have made of it since", async () => {
    const { stage, home } = await openHealing({});
    using _ = stage;
    stage.start();
    await stage.ended();
    writeFileSync(join(home, "hints.md"), "Another run's.");
    await stage.engine.ctx.harness.keep();
    expect(readFileSync(join(home, "hints.md"), "utf8")).toBe("Another run's.");
  });

  test("that cannot be written costs later runs the heal, and this one nothing", async () => {
    const home = join(tempDir(), "file");
    writeFileSync(home, "");
    const warned = vi.spyOn(process, "emitWarning").mockReturnValue();
    const { stage } = await openHealing({}, home);
    using _ = stage;
    stage.start();
    expect((await stage.ended()).end).toMatchObject({ exitCode: 0 });
    expect(warned.mock.calls.flat().join("\n")).toContain("the healed harness could not be kept for later runs");
    warned.mockRestore();
  });
});
