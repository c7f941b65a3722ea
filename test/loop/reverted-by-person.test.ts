import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import { cleanUp, tempDir } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { Stage } from "./stage.ts";

cleanUp();

const T1 = TicketId.parse("T-1");
/** Passes without the change of T-1, too. */
const live: StepSpec = { step: "verify", name: "live", command: ["sh", "-c", "test ! -e T-1.txt || ! grep bad T-1.txt"] };
const finish: StepSpec[] = [{ step: "gates" }, { step: "merge" }, live, { step: "assert" }];

function scene(onBroken: "freeze" | "revert"): Promise<Stage> {
  return Stage.open({
    tickets: [ticketOf("T-1", { finish }), ticketOf("T-2", { dependsOn: [T1] })],
    limits: { workers: 2, attempts: 3 },
    live: { repeats: 5, everySeconds: 1 },
    onBroken,
    work: ({ worktree, ticket, attempt }) => {
      writeFileSync(join(worktree, `${ticket}.txt`), ticket === T1 && attempt === 1 ? "bad\n" : "good\n");
    },
  });
}

function landedSha(stage: Stage): string {
  const [first] = stage.of("merge-landed");
  return first?.to ?? "";
}

function expectWorkedAgain(stage: Stage): void {
  expect(stage.state.end?.exitCode).toBe(0);
  expect(stage.git("show", "main:T-1.txt")).toBe("good");
  expect(stage.ticket(T1).history.length).toBeGreaterThan(1);
}

describe("a change that a person reverts on the base", () => {
  const finish = (folder: string) => {
    // The second run is the last re-verification's: meanwhile the person reverts.
    const script = `echo >> "$0/runs"; [ "$(wc -l < "$0/runs")" = 2 ] || exit 0
      unset GIT_DIR GIT_WORK_TREE; cd "$(cat "$0/user")" && git -c user.name=Jo -c user.email=jo@x revert --no-edit HEAD`;
    return [
      { step: "merge" },
      { step: "verify", name: "live", command: ["sh", "-c", script, folder] as [string, ...string[]] },
      { step: "assert" },
    ] as const;
  };

  test("while the last re-verification runs its commands is worked on again", async () => {
    const folder = tempDir();
    using stage = await Stage.open({ tickets: [ticketOf("T-1", { finish: [...finish(folder)] })] });
    writeFileSync(join(folder, "user"), stage.user);
    stage.start();
    const { end, interventions } = await stage.ended();
    expect(end).toMatchObject({ exitCode: 0 });
    expect(stage.ticket(T1).history).toHaveLength(2);
    expect(interventions).toMatchObject([{ class: "I4", target: "app" }]);
  });

  test("while the oracle judges for the last time is worked on again", async () => {
    let isReverted = false;
    using stage: Stage = await Stage.open({ tickets: [ticketOf("T-1")] }, ({ oracle }) => ({
      oracle: {
        ...oracle,
        judge: async (signal, how) => {
          const judged = await oracle.judge(signal, how);
          if (how === undefined && !isReverted) stage.git("revert", "--no-edit", landedSha(stage));
          isReverted ||= how === undefined;
          return judged;
        },
      },
    }));
    stage.start();
    const { end, interventions } = await stage.ended();
    expect(end).toMatchObject({ exitCode: 0 });
    expect(stage.ticket(T1).history).toHaveLength(2);
    expect(interventions).toMatchObject([{ class: "I4", target: "app" }]);
  });
});

describe.each(["freeze", "revert"] as const)(
  "a landed change that a person reverts on the base, with onBroken %s,",
  (onBroken) => {
    test("is gone, although the live check passes without it", async () => {
      using stage = await scene(onBroken);
      stage.start();
      await stage.until("attempt-ended");
      stage.git("revert", "--no-edit", landedSha(stage));
      await stage.ended();
      expectWorkedAgain(stage);
    });

    test("is gone for the next engine, too", async () => {
      using stage = await scene(onBroken);
      await stage.crashAt((event) => event.type === "attempt-ended");
      stage.git("revert", "--no-edit", landedSha(stage));
      await stage.crashAndReopen();
      await stage.resume();
      await stage.ended();
      expectWorkedAgain(stage);
    });

    test("is gone if the person has written something else at the same place, too", async () => {
      using stage = await scene(onBroken);
      stage.start();
      await stage.until("attempt-ended");
      stage.git("revert", "--no-edit", landedSha(stage));
      writeFileSync(join(stage.user, "T-1.txt"), "other\n");
      stage.git("add", "T-1.txt");
      stage.git("commit", "-m", "other");
      await stage.ended();
      expect(stage.ticket(T1).history.length).toBeGreaterThan(1);
    });
  },
);
