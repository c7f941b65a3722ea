import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import { keptBranch } from "../../src/domain/run/kept-work.ts";
import { describeReason, whyNot } from "../../src/domain/schedule/why-not.ts";
import { renderSummaryText } from "../../src/store/results/summary.ts";
import { cleanUp, tempDir } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { acts, drift, fileOf, halfDone, open, T1, T2 } from "./drift-stage.ts";
import { RUN, type Stage } from "./stage.ts";

cleanUp();

/** The oracle cannot judge meanwhile, and the run waits for it. */
const LIMITS = { outageMinutes: 0.7 };

/** A command that says that it runs, and ends once it may. */
function gate() {
  const folder = tempDir();
  const [runs, go] = [join(folder, "runs"), join(folder, "go")];
  const script = `echo > ${runs}; while [ ! -e ${go} ]; do sleep 0.05; done`;
  return {
    command: ["sh", "-c", script] as [string, ...string[]],
    isRunning: () => expect.poll(() => existsSync(runs), { timeout: 60_000 }).toBe(true),
    go: () => writeFileSync(go, ""),
  };
}

/** A person deletes the ticket's file. */
async function take(stage: Stage): Promise<() => Promise<void>> {
  const text = readFileSync(fileOf(stage, T1), "utf8");
  rmSync(fileOf(stage, T1));
  await stage.until("tracker-drifted", drift(T1, "vanished"));
  return async () => {
    writeFileSync(fileOf(stage, T1), text);
    await stage.until("tracker-drifted", drift(T1, "returned"));
  };
}

const isEnded = (outcome: string) => (e: { type: string; outcome?: unknown; ticket?: unknown }) =>
  e.type === "attempt-ended" && e.ticket === T1 && e.outcome === outcome;

/** The tracker was there all the time. */
const outagesOf = (stage: Stage) => stage.of("outage-started").map(({ what }) => what);

describe("a ticket that a person deletes", { timeout: 120_000 }, () => {
  test("while its agent works: the attempt stops, its work stays on a branch, and nothing lands until it is back", async () => {
    const { stage } = await open({
      tickets: [ticketOf("T-1"), ticketOf("T-2")],
      limits: { workers: 1, ...LIMITS },
      work: halfDone,
    });
    onTestFinished(() => stage[Symbol.dispose]());
    stage.start();
    await stage.until("agent-started");
    const back = await take(stage);
    await stage.until("attempt-ended", isEnded("stopped"));
    // The slot is free for T-2, which may have landed by now.
    expect(stage.git("log", "--format=%s", "main")).not.toContain("T-1");
    expect(stage.git("show", `${keptBranch(RUN, T1, 1)}:T-1.txt`)).toBe("1");
    expect(renderSummaryText(stage.state)).toContain(`work kept on ${keptBranch(RUN, T1, 1)} (1 file)`);
    await back();
    expect((await stage.ended()).end).toMatchObject({ exitCode: 0, reason: "2 done" });
    expect(stage.ticket(T1)).toMatchObject({ failures: 0, history: [{ outcome: "stopped" }, { outcome: "done" }] });
    expect(outagesOf(stage)).toEqual([]);
    expect(acts(stage)).toEqual([["I7", T1, true]]);
  });

  test("while its change is checked: nothing merges, and once it is back the change lands without another agent", async () => {
    const check = gate();
    const finish: readonly StepSpec[] = [
      { step: "check", name: "unit", command: check.command, tests: [] } as never,
      { step: "merge" },
      { step: "assert" },
    ];
    const { stage } = await open({ tickets: [ticketOf("T-1", { finish }), ticketOf("T-2")], limits: LIMITS });
    onTestFinished(() => stage[Symbol.dispose]());
    stage.start();
    await check.isRunning();
    const back = await take(stage);
    check.go();
    await stage.until("attempt-ended", isEnded("stopped"));
    await stage.until("attempt-ended", (e) => e.type === "attempt-ended" && e.ticket === T2);
    expect(stage.git("log", "--format=%s", "main")).not.toContain("T-1");
    expect(stage.git("show", `loopdash/${RUN}/T-1:T-1.txt`), "on its own branch").toBe("1");
    await back();
    expect((await stage.ended()).end).toMatchObject({ exitCode: 0, reason: "2 done" });
    expect(stage.tasks.map(({ ticket }) => ticket).toSorted()).toEqual([T1, T2]);
    expect(outagesOf(stage)).not.toContain("tracker");
  });

  test("after its change has landed: it cannot be judged, the others go on, and once it is back it is done without an agent", async () => {
    const verify = gate();
    const finish: readonly StepSpec[] = [
      { step: "merge" },
      { step: "verify", name: "live", command: verify.command } as never,
      { step: "assert" },
    ];
    const { stage } = await open({
      tickets: [ticketOf("T-1", { finish }), ticketOf("T-2"), ticketOf("T-3", { dependsOn: [T2] })],
      limits: LIMITS,
    });
    onTestFinished(() => stage[Symbol.dispose]());
    stage.start();
    await verify.isRunning();
    const back = await take(stage);
    verify.go();
    await stage.until("attempt-ended", isEnded("stopped"));
    expect(outagesOf(stage)).not.toContain("tracker");
    expect(describeReason(whyNot(stage.state, 0))).toBe("the tracker lacks it: there is no such ticket; it cannot be judged");
    expect(renderSummaryText(stage.state)).toMatch(/landed as [0-9a-f]{7}; its steps after the merge have not passed yet/);
    await stage.until("oracle-judged", (e) => e.type === "oracle-judged" && e.final);
    expect(stage.of("oracle-judged").at(-1)?.judgement).toMatchObject({ verdict: "unjudged" });
    expect(stage.state.counts.done).toBe(2);
    await back();
    expect((await stage.ended()).end).toMatchObject({ exitCode: 0, reason: "3 done" });
    expect(stage.tasks).toHaveLength(3);
    expect(acts(stage)).toEqual([["I7", T1, true]]);
  });
});

test("a ticket that cannot be read while its agent works: the agent goes on, and the change lands once it can be read", {
  timeout: 120_000,
}, async () => {
  const { stage, go } = await open({ tickets: [ticketOf("T-1")], held: [T1], limits: LIMITS });
  onTestFinished(() => stage[Symbol.dispose]());
  stage.start();
  await stage.until("agent-launching");
  const text = readFileSync(fileOf(stage, T1), "utf8");
  writeFileSync(fileOf(stage, T1), text.replace("state: open", "state: [open"));
  await stage.until("tracker-drifted", drift(T1, "vanished"));
  expect(stage.ticket(T1).phase).toBe("working");
  go(T1);
  await stage.until("attempt-ended", isEnded("stopped"));
  expect(stage.git("log", "--format=%s", "main")).toBe("first");
  writeFileSync(fileOf(stage, T1), text);
  expect((await stage.ended()).end).toMatchObject({ exitCode: 0 });
  expect(stage.tasks).toHaveLength(1);
});
