import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import { cleanUp, tempDir } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { oneFile, Stage } from "./stage.ts";

cleanUp();
const [T1, T2, T3] = ["T-1", "T-2", "T-3"].map((name) => TicketId.parse(name)) as [TicketId, TicketId, TicketId];

/** T-1 lands; the agent of T-2 waits for `go`; T-3 depends on T-1. A live check fails while `down` is there. */
async function scene() {
  const [go, down] = [join(tempDir(), "go"), join(tempDir(), "down")];
  const live: StepSpec = { step: "verify", name: "live", command: ["test", "!", "-e", down] };
  const finish: StepSpec[] = [{ step: "gates" }, { step: "merge" }, live, { step: "assert" }];
  const stage = await Stage.open({
    tickets: [ticketOf("T-1", { finish }), ticketOf("T-2"), ticketOf("T-3", { dependsOn: [T1, T2] })],
    limits: { workers: 3, attempts: 2 },
    live: { repeats: 5, everySeconds: 300 },
    work: async (task) => {
      if (task.ticket === T2) await expect.poll(() => existsSync(go), { timeout: 30_000 }).toBe(true);
      return oneFile(task);
    },
  });
  const touch = (file: string) => writeFileSync(file, "");
  const landed = () => stage.until("attempt-ended", (event) => event.type === "attempt-ended" && event.ticket === T1);
  const revert = (ticket = T1) => stage.engine.orchestrator.command({ type: "revert", ticket });
  return { stage, landed, revert, go: () => touch(go), takeDown: () => touch(down) };
}

const isOf = (type: RunEvent["type"]) => (event: RunEvent) => event.type === type;

describe("a revert that a person asks for", () => {
  for (const type of ["revert-asked", "revert-started", "revert-intended", "revert-landed"] as const)
    test(`is neither lost nor doubled if the engine is lost at ${type}`, async () => {
      const { stage: opened, landed, revert, go } = await scene();
      using stage = opened;
      const crashed = stage.crashAt(isOf(type));
      await landed();
      revert();
      go();
      await crashed;
      await stage.crashAndReopen();
      await stage.resume();
      const state = await stage.ended();
      expect(state.end?.exitCode).toBe(0);
      expect(stage.git("log", "--format=%s", "main").match(/^Revert/gm)).toHaveLength(1);
      expect(stage.of("revert-ended")).toHaveLength(1);
      expect(stage.ticket(T1)).toMatchObject({ phase: "done", failures: 0, reverted: { byPerson: true } });
      expect(stage.ticket(T3).phase).toBe("done");
      expect(state.interventions.filter((act) => act.class === "I7")).toMatchObject([{ target: T1 }]);
      expect(state.incidents).toEqual([]);
    });

  test("takes back what landed and is not live, before its check is repeated", async () => {
    const { stage: opened, landed, revert, go, takeDown } = await scene();
    using stage = opened;
    takeDown();
    stage.start();
    await landed();
    expect(stage.ticket(T1).phase).toBe("landed");
    revert();
    expect(await stage.until("revert-ended")).toMatchObject({ ok: false });
    expect(stage.git("log", "--format=%s", "main")).toMatch(/^Revert/m);
    go();
    stage.engine.orchestrator.command({ type: "stop" });
    await stage.ended();
  });

  test("changes nothing that conflicts with what came later, and is not counted", async () => {
    const { stage: opened, landed, revert, go } = await scene();
    using stage = opened;
    stage.start();
    await landed();
    writeFileSync(join(stage.user, "T-1.txt"), "edited\n");
    stage.git("commit", "-qam", "edited");
    revert();
    expect(await stage.until("revert-failed")).toMatchObject({ reason: expect.stringContaining("conflicts with later changes") });
    expect(stage.ticket(T1)).toMatchObject({ phase: "done" });
    expect(stage.ticket(T1).live?.revert).toBeUndefined();
    go();
    const state = await stage.ended();
    expect(state.end?.exitCode).toBe(0);
    expect(state.interventions.filter((act) => act.class === "I7")).toEqual([]);
  });

  test("is refused in one line while there is nothing to take back", async () => {
    const { stage: opened, landed, revert, go } = await scene();
    using stage = opened;
    stage.start();
    await landed();
    revert(T2);
    revert(T1);
    revert(T1);
    await stage.until("revert-ended");
    expect(stage.of("command-refused").map(({ reason }) => reason)).toEqual([
      "T-2 has not landed: it is working",
      "the change of T-1 is being reverted already",
    ]);
    go();
    expect((await stage.ended()).end?.exitCode).toBe(0);
  });
});
