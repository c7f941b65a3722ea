import { describe, expect, test } from "vitest";
import { TicketId } from "../../src/domain/values/ids.ts";
import { cleanUp } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { Adjudicator, claim, leave, withTemplate } from "./blocker-stage.ts";
import { oneFile, Stage } from "./stage.ts";

cleanUp();
const T1 = TicketId.parse("T-1");

describe("what was built of a ticket that a person must finish", () => {
  /** A ticket that lands up to a wall; `then` is done to the repository when its gate is recorded. */
  async function gated(then: (stage: Stage) => void) {
    const finish = [{ step: "gates" }, { step: "merge" }, { step: "assert" }] as const;
    const stage: Stage = await Stage.open(
      {
        tickets: [ticketOf("T-1", { finish })],
        work: (task) => {
          leave(task, "blocker.json", claim());
          return oneFile(task);
        },
      },
      (ctx) => ({
        ...withTemplate(ctx),
        ...new Adjudicator().context,
        report: (fact) => {
          if (fact.type === "ticket-gated") then(stage);
          return ctx.report(fact);
        },
      }),
    );
    stage.start();
    const { end } = await stage.ended();
    return { stage, end };
  }

  test("still stands in the base when the oracle is believed", async () => {
    const { stage, end } = await gated(() => undefined);
    using _ = stage;
    expect(end).toMatchObject({ kind: "oracle-done", exitCode: 0 });
  });

  test("is no longer there: nobody can say done, and the run says what is missing", async () => {
    const { stage, end } = await gated((it) => void it.git("reset", "-q", "--hard", "HEAD~1"));
    using _ = stage;
    const sha = stage.ticket(T1).mergedSha?.slice(0, 7);
    expect(end).toMatchObject({
      kind: "unjudged",
      exitCode: 3,
    });
    const missing = `T-1 is left to a person with what was built, but ${sha} is no longer in main`;
    expect(end?.reason).toContain(`the last re-verification failed: ${missing}`);
    expect(stage.ticket(T1).phase).toBe("human-gated");
  });
});
