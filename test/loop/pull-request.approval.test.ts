import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Bounds } from "../../src/domain/bound/bound.ts";
import { cleanUp, git, write } from "../adapters/vcs/real-repo.ts";
import { FAILED, openStage, T1 } from "./pull-request-stage.ts";
import type { Stage } from "./stage.ts";

cleanUp();

const bounds: Bounds = { app: { zones: [{ path: "pay/", origin: { file: "batch" } }], neverDo: [], ironLaws: [] } };

/** A run whose agent changes a zone, up to where the ticket is left to a person. */
async function awaited(over: Parameters<typeof openStage>[0] = {}, rules: object = {}) {
  const made = await openStage(
    {
      bounds,
      work: ({ worktree, attempt }) => {
        mkdirSync(join(worktree, "pay"), { recursive: true });
        writeFileSync(join(worktree, "pay", "amount.txt"), `${attempt}\n`);
        return undefined;
      },
      ...over,
    },
    rules,
  );
  made.stage.start();
  await made.stage.ended();
  return made;
}

/** A person approves the change that waits, and the run goes on with another engine. */
async function approved(stage: Stage, reopen: () => Promise<void>): Promise<void> {
  const [wanted] = stage.of("approval-awaited").slice(-1);
  await reopen();
  await stage.resume();
  stage.engine.orchestrator.command({ type: "approve", ticket: T1, commit: wanted?.commit ?? "" });
  await stage.until("change-approved");
}

describe("an approval of a change that lands by a pull request", () => {
  test("comes before anything is pushed; then exactly the approved change lands, without an agent", async () => {
    const { stage, forge, reopen } = await awaited();
    using _ = stage;
    expect(forge.calls).toEqual([]);
    const why = ["it changes the danger zone pay/ (bound in the batch file)"];
    expect(stage.of("approval-awaited")).toMatchObject([{ why }]);
    expect(stage.ticket(T1).approval?.why).toEqual(why);
    expect(stage.ticket(T1).phase).toBe("human-gated");
    await approved(stage, reopen);
    await stage.ended();
    expect(stage.ticket(T1).phase).toBe("done");
    expect(forge.calls).toEqual([expect.stringMatching(/^push /), "open", expect.stringMatching(/^merge /)]);
    expect(stage.git("show", "main:pay/amount.txt")).toBe("1");
    expect(stage.tasks).toHaveLength(1);
    expect(stage.state.interventions.map((each) => each.class)).toContain("I6");
  });

  test("holds if other files of the base move on, and no second one is asked for", async () => {
    const { stage, forge, reopen } = await awaited();
    using _ = stage;
    forge.onRead = () => {
      forge.onRead = () => {
        forge.shown = {};
      };
      write(stage.user, "other.txt", "moved\n");
      git(stage.user, "add", "-A");
      git(stage.user, "commit", "-q", "-m", "by others");
      forge.shown = { merge: "behind" };
    };
    await approved(stage, reopen);
    await stage.ended();
    expect(stage.ticket(T1).phase).toBe("done");
    expect(stage.of("approval-awaited")).toHaveLength(1);
    // The change was pushed anew on the base as it is now.
    expect(forge.calls.filter((call) => call.startsWith("push"))).toHaveLength(2);
    expect(stage.git("show", "main:other.txt")).toBe("moved");
  });

  test("is not one of what the next attempt makes after a red check at the forge", async () => {
    const { stage, forge, reopen } = await awaited();
    using _ = stage;
    forge.shown = { checks: [FAILED] };
    await approved(stage, reopen);
    await stage.ended();
    expect(stage.tasks).toHaveLength(2);
    expect(stage.of("approval-awaited")).toHaveLength(2);
    const [first, second] = stage.of("approval-awaited");
    expect(second?.change).not.toBe(first?.change);
    // Only the approved change was ever pushed, and none was merged.
    expect(forge.calls.filter((call) => call.startsWith("push"))).toHaveLength(1);
    expect(forge.merges).toBe(0);
    expect(stage.ticket(T1).phase).toBe("human-gated");
  });
});
