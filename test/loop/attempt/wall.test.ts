import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cleanUp } from "../../adapters/vcs/real-repo.ts";
import { ticketOf } from "../../domain/simulate.ts";
import { Adjudicator, answerTo, ruling, STEP, WALL, withTemplate } from "../blocker-stage.ts";
import { answer, ended, openHealing, PROMPTS } from "../heal-stage.ts";

cleanUp();

/** A run whose only ticket stalls, whose healer claims a wall with this command, and whose reviewer rules so. */
async function walled(upholds: boolean, evidence: object = WALL) {
  const judge = new Adjudicator((prompt) => answerTo(prompt, ruling(upholds ? {} : { verdict: "rejected" })));
  const healer = readFileSync(join(PROMPTS, "healer.md"), "utf8");
  const opened = await openHealing(
    {
      tickets: [ticketOf("T-1", { finish: [{ step: "gates" }, { step: "merge" }, { step: "assert" }] })],
      work: () => ({ exitCode: 1, tail: "no licence" }),
      heal: (task) => answer(task, { kind: "wall", evidence: [evidence], humanStep: STEP }),
    },
    undefined,
    (ctx) => ({ templates: { ...withTemplate(ctx).templates, healer }, ...judge.context }),
  );
  opened.stage.start();
  await opened.stage.ended();
  return { ...opened, judge };
}

describe("a wall that a healer claims", () => {
  test("is replayed on the base and ruled on without an agent; upheld, it is a human gate", async () => {
    const { stage, judge } = await walled(true);
    using _ = stage;
    expect(ended(stage)).toMatchObject([{ outcome: "wall", changed: [] }]);
    expect(stage.tasks).toHaveLength(1);
    expect(judge.asked).toHaveLength(1);
    expect(stage.of("blocker-ruled")).toMatchObject([{ upheld: true, step: STEP }]);
    expect(stage.of("attempt-ended").map(({ outcome }) => outcome)).toEqual(["failed", "gated"]);
    expect(stage.state).toMatchObject({
      blockers: { claimed: 1, upheld: 1 },
      end: { exitCode: 0, reason: "0 done, 1 left to a person" },
    });
    expect((await stage.tracker().snapshot())[0]?.state).toEqual({ as: "human-gated", step: STEP });
  });

  test("that the reviewer rejects leaves the ticket stalled as it was, and the run ends with its original reason", async () => {
    const { stage } = await walled(false);
    using _ = stage;
    expect(stage.of("blocker-ruled")).toMatchObject([{ upheld: false }]);
    expect(stage.tasks).toHaveLength(1);
    expect(stage.state).toMatchObject({
      blockers: { claimed: 1, rejected: 1 },
      heals: { started: 1, givenUp: true },
      end: { kind: "not-done", exitCode: 1, reason: stage.of("heal-started")[0]?.reason },
    });
  });

  test("whose command passes when the engine runs it is rejected, and nobody is asked", async () => {
    const { stage, judge } = await walled(true, { command: ["true"], exitCode: 1, output: "" });
    using _ = stage;
    expect(judge.asked).toEqual([]);
    expect(stage.of("blocker-ruled")).toMatchObject([
      { upheld: false, reason: expect.stringContaining("true exited with code 0") },
    ]);
    expect(stage.state.end).toMatchObject({ kind: "not-done" });
  });
});
