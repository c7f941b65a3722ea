import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import type { LoopContext } from "../../src/loop/attempt/context.ts";
import { cleanUp } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { Adjudicator, answerTo, claim, leave, withTemplate } from "./blocker-stage.ts";
import { opened, PASSES, questions, REVIEWER_PROMPT, reviewer, T1 } from "./review-stage.ts";
import { oneFile, Stage } from "./stage.ts";

cleanUp();

/** The engine reads the tracker, and looks at bases and the harness, this often. Milliseconds. */
const LOOKS_MS = 30_000;

/** A clock whose waits are over at once, and which has gone on by them. */
function hasty(waits: number[] = []) {
  let ahead = 0;
  return (ctx: LoopContext): Partial<LoopContext> => ({
    clock: {
      now: () => ctx.clock.now() + ahead,
      ran: () => ctx.clock.ran() + ahead,
      gaps: () => [],
      after: (ms, then) => {
        if (ms < 5_000 || ms === LOOKS_MS) return ctx.clock.after(ms, then);
        return ctx.clock.after(0, () => {
          waits.push(ms);
          ahead += ms;
          then();
        });
      },
    },
  });
}

const FAILS_TWICE = `if (asked <= 2) { console.error("cannot open model.bin"); process.exit(7); } ${PASSES}`;

describe("a reviewer that crashes", () => {
  test("twice and then works: it is asked again, and the worker's attempt is whole", async () => {
    const waits: number[] = [];
    using stage = await opened({
      reviewer: FAILS_TWICE,
      ctx: hasty(waits),
      stage: { limits: { attempts: 1, outageMinutes: 15 } },
    });
    stage.start();
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done", exitCode: 0 });
    expect(questions(stage)).toEqual(["review", "review", "review"]);
    expect(stage.tasks).toHaveLength(1);
    expect(stage.ticket(T1)).toMatchObject({ failures: 0, history: [{ outcome: "done" }] });
    const [started] = stage.of("outage-started");
    expect(started).toMatchObject({ what: "reviewer", why: "it exited with code 7: cannot open model.bin" });
    expect((started?.nextAt ?? 0) - (started?.at ?? 0)).toBeGreaterThan(4_000);
    expect(stage.of("outage-ended")).toMatchObject([{ what: "reviewer" }]);
    expect(waits.filter((ms) => ms > 8_000).length).toBeGreaterThan(0);
  });

  test("for good: the run ends unjudged and names it, no attempt is counted, and the next engine asks again without an agent", async () => {
    using stage = await opened({
      reviewer: `console.log("no licence"); process.exit(7)`,
      ctx: hasty(),
      stage: { limits: { attempts: 1, outageMinutes: 1 } },
    });
    stage.start();
    const { end } = await stage.ended();
    expect(end).toMatchObject({ kind: "unjudged", verdict: "unjudged", exitCode: 3 });
    expect(end?.reason).toMatch(/^the reviewer failed: it exited with code 7: no licence \(given up after /);
    expect(stage.ticket(T1)).toMatchObject({ phase: "waiting", failures: 0, evidence: [], history: [{ outcome: "stopped" }] });
    expect(stage.tasks).toHaveLength(1);
    expect(stage.of("oracle-judged").filter((event) => event.final)).toEqual([]);
    const made = stage.engine.ctx.reviewer;
    await stage.crashAndReopen((ctx) => ({
      templates: { ...ctx.templates, reviewer: REVIEWER_PROMPT },
      ...(made && { reviewer: made }),
    }));
    reviewer(join(stage.root, "second"), PASSES);
    expect(stage.state.fatalOutage).toMatchObject({ what: "reviewer" });
    await stage.resume();
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done", exitCode: 0 });
    expect(stage.tasks).toHaveLength(1);
    expect(stage.state).not.toHaveProperty("fatalOutage");
  });

  test("a kill by a person ends the wait at once", async () => {
    const finish: StepSpec[] = [{ step: "review", name: "review" }, { step: "merge" }];
    using stage = await opened({
      reviewer: `process.exit(7)`,
      stage: { tickets: [ticketOf("T-1", { finish })], limits: { attempts: 1, outageMinutes: 15 } },
    });
    stage.start();
    await stage.until("outage-started");
    stage.engine.orchestrator.command({ type: "kill", ticket: T1 });
    await stage.until("attempt-ended");
    expect(stage.ticket(T1).history).toMatchObject([{ outcome: "killed" }]);
    expect(stage.of("outage-ended")).toMatchObject([{ what: "reviewer" }]);
    expect((await stage.ended()).end?.exitCode).toBe(1);
  });
});

describe("an adjudicator that gives no answer", () => {
  const claims = (adjudicator: Adjudicator, outageMinutes: number) => {
    const finish: StepSpec[] = [{ step: "gates" }, { step: "merge" }, { step: "assert" }];
    return Stage.open(
      {
        tickets: [ticketOf("T-1", { finish })],
        limits: { attempts: 1, outageMinutes },
        work: (task) => {
          leave(task, "blocker.json", claim());
          return oneFile(task);
        },
      },
      (ctx) => ({ ...withTemplate(ctx), ...adjudicator.context, ...hasty()(ctx) }),
    );
  };

  test("twice and then rules: the claim is judged by the ruling alone", async () => {
    const adjudicator: Adjudicator = new Adjudicator((prompt) => (adjudicator.asked.length <= 2 ? "" : answerTo(prompt)));
    using stage = await claims(adjudicator, 15);
    stage.start();
    expect((await stage.ended()).end).toMatchObject({ exitCode: 0, reason: "0 done, 1 left to a person" });
    expect(stage.of("blocker-ruled")).toMatchObject([{ upheld: true }]);
    expect(stage.state.blockers).toEqual({ claimed: 1, upheld: 1, rejected: 0 });
  });

  test("for good: no claim is called fake, and no attempt is counted", async () => {
    using stage = await claims(new Adjudicator(() => ""), 1);
    stage.start();
    const { end, blockers } = await stage.ended();
    expect(end).toMatchObject({ kind: "unjudged", exitCode: 3 });
    expect(end?.reason).toMatch(/^the reviewer failed: it gave no answer /);
    expect(blockers).toEqual({ claimed: 1, upheld: 0, rejected: 0 });
    expect(stage.ticket(TicketId.parse("T-1"))).toMatchObject({ failures: 0, history: [{ outcome: "stopped" }] });
    expect(stage.tasks).toHaveLength(1);
  });
});
