import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import { ticketById as stateOf } from "../../src/domain/run/state.ts";
import { describeReason, whyNot } from "../../src/domain/schedule/why-not.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import { describeEvents } from "../../src/store/describe-event.ts";
import { cleanUp, tempDir } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { oneFile, Stage, type StageOptions } from "./stage.ts";

cleanUp();
const [T1, T2] = ["T-1", "T-2"].map((name) => TicketId.parse(name)) as [TicketId, TicketId];

const there = (file: string) => expect.poll(() => existsSync(file), { timeout: 30_000 }).toBe(true);

/** T-1's dev passes while `up` exists; T-2 lands after it has failed, and its dev passes. Each look at prod leaves a line. */
async function scene(over: Partial<StageOptions> = {}) {
  const folder = tempDir();
  const [up, go, prod] = ["up", "go", "prod"].map((name) => join(folder, name)) as [string, string, string];
  const step = (environment: string, script: string, file: string): StepSpec => {
    return { step: "verify", name: "live", environment, command: ["sh", "-c", script, file] };
  };
  const dev = step("dev", 'test -e "$0"', up);
  const second = [step("dev", "true", up), step("prod", 'echo looked >> "$0"', prod)];
  const stage = await Stage.open({
    tickets: [
      ticketOf("T-1", { finish: [{ step: "merge" }, dev, { step: "assert" }] }),
      ticketOf("T-2", { finish: [{ step: "merge" }, ...second, { step: "assert" }] }),
    ],
    limits: { workers: 2, attempts: 1 },
    onBroken: "continue",
    live: { repeats: 3, everySeconds: 300 },
    work: async (task) => {
      if (task.ticket === T2) await there(go);
      return oneFile(task);
    },
    ...over,
  });
  const looked = () => (existsSync(prod) ? readFileSync(prod, "utf8").split("\n").length - 1 : 0);
  return { stage, up: () => writeFileSync(up, ""), go: () => writeFileSync(go, ""), looked };
}

describe("while dev fails on a base", () => {
  test("no ticket on it goes on to prod; it does once dev passes", async () => {
    const { stage: opened, go, up, looked } = await scene();
    using stage = opened;
    stage.start();
    await stage.until("attempt-ended");
    go();
    const ended = await stage.until("attempt-ended", (event) => event.type === "attempt-ended" && event.ticket === T2);
    const reason = "live (prod) waits: live (dev) of T-1 fails on the same base";
    expect(stage.ticket(T2)).toMatchObject({ phase: "landed", live: { waitsFor: reason, failed: 0, history: [] } });
    expect(describeEvents(ended, stage.state)[0]?.text).toContain(reason);
    expect(describeReason(whyNot(stage.state, 1))).toContain(reason);
    stage.engine.orchestrator.command({ type: "verify", ticket: T2 });
    await stage.until("live-check-ended", (event) => event.type === "live-check-ended" && event.ticket === T2);
    expect(looked()).toBe(0);
    expect(stage.state.brokenBases).toMatchObject({ app: { ticket: T1, environment: "dev" } });
    up();
    stage.engine.orchestrator.command({ type: "verify", ticket: T1 });
    const state = await stage.ended();
    expect(state.end?.exitCode).toBe(0);
    expect(looked()).toBeGreaterThan(0);
    expect(state.incidents.filter(({ ticket }) => ticket === T2)).toEqual([]);
    expect(stateOf(state, T2)).toMatchObject({ phase: "done", failures: 0 });
  });

  test("the last re-verification does not go on to prod either, and what waits is not done", async () => {
    const { stage: opened, go, looked } = await scene({ live: { repeats: 0, everySeconds: 0.1 } });
    using stage = opened;
    stage.start();
    await stage.until("attempt-ended");
    go();
    const state = await stage.ended();
    expect(state.end?.exitCode).toBe(1);
    expect(looked()).toBe(0);
    for (const id of [T1, T2]) expect(stage.ticket(id).phase).toBe("landed");
  });
});
