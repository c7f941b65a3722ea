import { describe, expect, test } from "vitest";
import { cleanUp, git } from "../adapters/vcs/real-repo.ts";
import { openStage, T1 } from "./pull-request-stage.ts";

cleanUp();

type Opened = Awaited<ReturnType<typeof openStage>>;

/** Has somebody merge once the ticket is a person's, and this is so. */
function mergeLater({ stage, forge }: Opened, merge: (head: string) => void, when = () => true): void {
  let isMerged = false;
  forge.onRead = () => {
    if (isMerged || stage.ticket(T1).phase !== "human-gated" || !when()) return;
    isMerged = true;
    merge([...forge.branches.values()][0] ?? "");
  };
}

/** A commit of a person on top of the pushed one. */
function more(user: string, head: string): string {
  return git(user, "commit-tree", git(user, "rev-parse", "main^{tree}"), "-p", head, "-m", "theirs");
}

describe("a pull request that was left to a person, and is merged after all", () => {
  test.each(["while the run goes on", "right before the final verdict"])(
    "%s has landed, and its ticket is done",
    async (when) => {
      const opened = await openStage({}, { appearMs: 200 });
      const { stage, forge } = opened;
      using _ = stage;
      forge.onMerge = () => ({ as: "refused", reason: "not now (405)" });
      const isLast = when === "right before the final verdict";
      const isNow = () => !isLast || stage.of("oracle-asked").some(({ final }) => final);
      mergeLater(opened, (head) => forge.merge(head), isNow);
      stage.start();
      expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done", exitCode: 0 });
      const [observed] = stage.of("merge-observed");
      expect(observed).toMatchObject({ ticket: T1, number: 7, to: git(stage.user, "rev-parse", "main") });
      const ticket = stage.ticket(T1);
      expect(ticket).toMatchObject({ phase: "done", mergedSha: observed?.to, tracked: { state: { as: "done" } } });
      expect(ticket.humanStep).toBeUndefined();
      expect([stage.of("ticket-gated"), stage.of("merge-observed"), stage.tasks].map(({ length }) => length)).toEqual([1, 1, 1]);
      expect([forge.branches.size, stage.state.interventions]).toEqual([0, []]);
    },
  );

  test("at another head than the checked one stays a person's, unless the base holds the checked change", async () => {
    for (const by of ["squash", "merge"] as const) {
      const opened = await openStage();
      const { stage, forge } = opened;
      using _ = stage;
      forge.shown = { head: "f".repeat(40) };
      mergeLater(opened, (head) => forge.merge(more(stage.user, head), "merged", by));
      stage.start();
      await stage.ended();
      expect(forge.merges).toBe(0);
      expect([by, stage.ticket(T1).phase]).toEqual([by, by === "merge" ? "done" : "human-gated"]);
    }
  });

  test.each(["another", "the same"])("stays a person's who has named %s step", async (which) => {
    const opened = await openStage({}, { appearMs: 200 });
    const { stage, forge } = opened;
    using _ = stage;
    forge.onMerge = () => ({ as: "refused", reason: "not now (405)" });
    mergeLater(opened, (head) => {
      const step = which === "another" ? "ask the lawyers" : (stage.ticket(T1).humanStep ?? "");
      const change = { kind: "gated", step } as const;
      stage.report({ type: "tracker-drifted", ticket: T1, change });
      forge.merge(head);
    });
    stage.start();
    await stage.ended();
    expect([stage.ticket(T1).phase, stage.types().includes("merge-observed")]).toEqual(["human-gated", false]);
  });
});
