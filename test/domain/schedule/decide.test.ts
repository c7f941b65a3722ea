import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { admitCommand } from "../../../src/domain/run/admit.ts";
import { HumanStep } from "../../../src/domain/run/command.ts";
import type { Judgement, VerdictWord } from "../../../src/domain/run/event.ts";
import { ticketById as stateOf } from "../../../src/domain/run/state.ts";
import { decide, INTERIM_MS } from "../../../src/domain/schedule/decide.ts";
import type { Fence } from "../../../src/domain/values/ids.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf, honestJudgement, Simulation, ticketOf } from "../simulate.ts";

const T1 = TicketId.parse("T-1");
const T2 = TicketId.parse("T-2");

function judgement(verdict: VerdictWord): Judgement {
  return {
    verdict,
    counts: { done: 0, gated: 0, open: 0 },
    open: [],
    durationMs: 1,
    ...(verdict === "unjudged" ? { problem: "tracker down" } : {}),
  };
}

/** A run of one ticket that is done, re-verified, and about to be judged for the last time. */
function atTheEnd(): Simulation {
  const sim = new Simulation(batchOf([ticketOf("T-1")]));
  sim.decide();
  sim.report({ type: "oracle-judged", final: false, judgement: honestJudgement(sim.state) });
  sim.endAttempt(T1, "done");
  sim.decide();
  sim.report({ type: "reverify-ended", reopened: 0 });
  return sim;
}

describe("law 1: only the oracle ends a run as done", () => {
  test("exit 0 follows a final verdict of done, and no other answer", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom<VerdictWord>("done", "not-done", "unjudged"), { minLength: 1, maxLength: 6 }),
        (answers) => {
          const sim = atTheEnd();
          const given: VerdictWord[] = [];
          for (const answer of answers) {
            sim.decide();
            if (sim.state.stage === "ended") break;
            expect(sim.state.oracle.asking).toBe(true);
            given.push(answer);
            sim.report({ type: "oracle-judged", final: true, judgement: judgement(answer) });
          }
          sim.decide();
          const { end } = sim.state;
          if (end === undefined) expect(given.every((g) => g === "unjudged")).toBe(true);
          else expect(end.exitCode).toBe({ done: 0, "not-done": 1, unjudged: undefined }[given.at(-1) as VerdictWord]);
        },
      ),
    );
  });

  test("a verdict of done before the last re-verification ends nothing", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1")]));
    sim.decide();
    sim.report({ type: "oracle-judged", final: false, judgement: judgement("done") });
    expect(sim.decide()).toEqual([]);
    sim.endAttempt(T1, "done");
    expect(sim.decide()).toEqual([{ do: "reverify" }]);
  });

  test("what could not be re-verified is not judged: it is tried again, and then the run is exit 3, with the reason", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1")]));
    sim.decide();
    sim.report({ type: "oracle-judged", final: false, judgement: honestJudgement(sim.state) });
    sim.endAttempt(T1, "done");
    sim.decide();
    sim.report({ type: "reverify-ended", reopened: 0, problem: "git is gone" });
    expect(sim.decide()).toEqual([{ do: "reverify" }]);
    sim.report({ type: "reverify-ended", reopened: 0, problem: "git is gone" });
    sim.giveUp("reverify", "git is gone");
    sim.decide();
    expect(sim.state.end).toMatchObject({ kind: "unjudged", exitCode: 3 });
    expect(sim.state.end?.reason).toMatch(/^the last re-verification failed: git is gone \(given up after 15 min\)/);
  });

  test("an answer that a person asked for in between is not the last one", () => {
    const sim = atTheEnd();
    sim.decide();
    sim.report({ type: "oracle-judged", final: true, judgement: judgement("unjudged") });
    sim.report({ type: "oracle-asked", final: false });
    expect(sim.decide()).toEqual([]);
    sim.report({ type: "oracle-judged", final: false, judgement: judgement("done") });
    expect(sim.decide()).toEqual([{ do: "judge", final: true }]);
  });

  test("the reasons of an end: what is done and gated, what could not be judged", () => {
    const sim = atTheEnd();
    sim.decide();
    sim.report({
      type: "oracle-judged",
      final: true,
      judgement: { ...judgement("done"), counts: { done: 1, gated: 2, open: 0 } },
    });
    sim.decide();
    expect(sim.state.end?.reason).toBe("1 done, 2 left to a person");
    const dumb = atTheEnd();
    for (let i = 0; i < 5; i++) {
      expect(dumb.decide()).toEqual([{ do: "judge", final: true }]);
      dumb.report({ type: "oracle-judged", final: true, judgement: judgement("unjudged") });
    }
    dumb.giveUp("oracle", "tracker down");
    dumb.decide();
    expect(dumb.state.end?.kind).toBe("unjudged");
    expect(dumb.state.end?.reason).toMatch(/^the oracle could not judge: tracker down/);
  });

  test("a ticket that moves after the re-verification asks for another one", () => {
    const sim = atTheEnd();
    sim.report({ type: "ticket-reopened", ticket: T1, evidence: { step: "merge", name: "merge", summary: "gone", detail: "" } });
    expect(sim.decide().map((a) => a.do)).toEqual(["start"]);
  });
});

describe("scheduling", () => {
  test("the ticket with the longest remaining path starts first", () => {
    const tickets = [ticketOf("T-1"), ticketOf("T-2"), ticketOf("T-3", { dependsOn: [T2] })];
    const sim = new Simulation(batchOf(tickets, { workers: 1 }));
    expect(sim.decide()[0]).toMatchObject({ do: "start", ticket: T2 });
  });

  test("durations of earlier runs count: a long ticket goes before a chain of short ones", () => {
    const tickets = [ticketOf("T-2"), ticketOf("T-3", { dependsOn: [T2] }), ticketOf("T-1")];
    const sim = new Simulation(batchOf(tickets, { workers: 1 }), undefined, { "T-1": 9_000, "T-2": 1_000, "T-3": 1_000 });
    expect(sim.decide()[0]).toMatchObject({ do: "start", ticket: T1 });
  });

  test("two tickets on one exclusive resource never start together, and the slot goes to a third", () => {
    const tickets = [ticketOf("T-1", { exclusive: ["infra"] }), ticketOf("T-2", { exclusive: ["infra"] }), ticketOf("T-3")];
    const sim = new Simulation(batchOf(tickets));
    const starts = sim.decide().filter((a) => a.do === "start");
    expect(starts.map((a) => a.ticket)).toEqual(["T-1", "T-3"]);
  });

  test("a freed slot is filled by the very next decision", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1"), ticketOf("T-2")], { workers: 1 }));
    sim.decide();
    sim.endAttempt(T1, "done");
    expect(sim.decide()).toContainEqual(expect.objectContaining({ do: "start", ticket: T2, slot: 0 }));
  });

  test("a ticket out of attempts is stalled with its last evidence, and its dependents say so", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1"), ticketOf("T-2", { dependsOn: [T1] })], { attempts: 1 }));
    sim.decide();
    sim.endAttempt(T1, "failed");
    sim.decide();
    expect(stateOf(sim.state, T1)).toMatchObject({ phase: "stalled", stalledReason: "broken · 1 attempt failed" });
    expect(sim.decide()).toEqual([{ do: "reverify" }]);
  });

  test("an attempt that a lost engine cut off costs none of the ticket's attempts", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1")], { attempts: 1 }));
    sim.decide();
    sim.endAttempt(T1, "lost");
    expect(sim.decide()).toContainEqual(expect.objectContaining({ do: "start", ticket: T1 }));
  });
});

describe("money fails closed", () => {
  const paid = (tickets: number, over: Parameters<typeof batchOf>[1]) => {
    const all = Array.from({ length: tickets }, (_, i) => ticketOf(`T-${i + 1}`));
    return { ...batchOf(all, over), agent: { kind: "command" as const, command: ["true"], usdPerAttempt: 2 } };
  };

  test("starts in one pass never break a cap together: what is set aside counts as spent", () => {
    const sim = new Simulation(paid(3, { usdPerRun: 5 }));
    expect(sim.decide().filter((a) => a.do === "start").length).toBe(2);
    expect(sim.state.reservedUsd).toBe(4);
  });

  test("a reached cap ends the run as not done and names the cap", () => {
    const sim = new Simulation(paid(2, { usdPerRun: 3, workers: 1 }));
    sim.decide();
    sim.endAttempt(T1, "done");
    sim.decide();
    sim.report({ type: "oracle-judged", final: false, judgement: honestJudgement(sim.state) });
    sim.report({ type: "reverify-ended", reopened: 0 });
    sim.decide();
    sim.report({ type: "oracle-judged", final: true, judgement: honestJudgement(sim.state) });
    sim.decide();
    expect(sim.state.end).toMatchObject({ exitCode: 1 });
    expect(sim.state.end?.reason).toContain("usdPerRun");
  });

  test("an attempt whose end nobody saw cost all that was set aside for it", () => {
    const sim = new Simulation(paid(1, {}));
    sim.decide();
    const fence = 1 as Fence;
    sim.report({ type: "agent-launching", ticket: T1, fence });
    sim.report({ type: "attempt-ended", ticket: T1, fence, outcome: "lost" });
    expect(sim.state).toMatchObject({ spentUsd: 2, reservedUsd: 0 });
  });
});

describe("people", () => {
  test("a pause starts nothing new and ends nothing", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1"), ticketOf("T-2")], { workers: 1 }));
    sim.decide();
    for (const fact of admitCommand(sim.state, { type: "pause" })) sim.report(fact);
    sim.endAttempt(T1, "done");
    expect(sim.decide().filter((a) => a.do !== "judge")).toEqual([]);
    for (const fact of admitCommand(sim.state, { type: "unpause" })) sim.report(fact);
    expect(sim.decide()).toContainEqual(expect.objectContaining({ do: "start", ticket: T2 }));
  });

  test("a gate on a running ticket ends its worker, then is written", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1")]));
    sim.decide();
    for (const fact of admitCommand(sim.state, { type: "gate", ticket: T1, step: HumanStep.parse("approve the DNS change") }))
      sim.report(fact);
    expect(sim.decide()).toContainEqual(expect.objectContaining({ do: "abort", ticket: T1, ending: "gated-by-person" }));
    sim.endAttempt(T1, "gated");
    sim.decide();
    expect(stateOf(sim.state, T1)).toMatchObject({ phase: "human-gated", humanStep: "approve the DNS change", failures: 0 });
    expect(sim.state.interventions).toMatchObject([{ class: "I7", target: "T-1" }]);
  });

  test("a stop ends every worker first, then the run, as interrupted", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1")]));
    sim.decide();
    for (const fact of admitCommand(sim.state, { type: "stop" })) sim.report(fact);
    expect(sim.decide()).toEqual([{ do: "abort", ticket: T1, fence: 1, ending: "stopped" }]);
    sim.endAttempt(T1, "stopped");
    sim.decide();
    expect(sim.state.end).toMatchObject({ kind: "interrupted", exitCode: 130 });
  });

  test.each([
    ["kill", { type: "kill", ticket: T1 }, "no worker is on T-1"],
    ["unpause", { type: "unpause" }, "the run is not paused"],
    [
      "gate of a stranger",
      { type: "gate", ticket: TicketId.parse("constructor"), step: "x" },
      "there is no ticket constructor in this batch",
    ],
  ] as const)("a command that makes no sense is refused with its reason: %s", (_, command, reason) => {
    const sim = new Simulation(batchOf([ticketOf("T-1")]));
    expect(admitCommand(sim.state, command)).toEqual([{ type: "command-refused", command, reason }]);
  });

  test("inputs of one class on one target within ten minutes are one intervention", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1")]));
    for (const note of ["paused", "went on", "paused"]) sim.report({ type: "intervention", class: "I2", target: "run", note });
    sim.report({ type: "intervention", class: "I2", target: "T-1", note: "steered" });
    expect(sim.state.interventions.map((i) => i.target)).toEqual(["run", "T-1"]);
  });
});

test("a late or second report is dropped and counted; it changes nothing else", () => {
  const sim = new Simulation(batchOf([ticketOf("T-1")]));
  sim.decide();
  sim.endAttempt(T1, "failed");
  sim.decide();
  const before = stateOf(sim.state, T1);
  expect(sim.report({ type: "attempt-ended", ticket: T1, fence: 1 as Fence, outcome: "done" })).toBe(false);
  expect(stateOf(sim.state, T1)).toEqual(before);
  expect(sim.state.droppedReports).toBe(1);
});

test("an interim judgement is asked for at the start, and again only after something changed and some time passed", () => {
  const sim = new Simulation(batchOf([ticketOf("T-1"), ticketOf("T-2")]));
  expect(sim.decide()).toContainEqual({ do: "judge", final: false });
  sim.report({ type: "oracle-judged", final: false, judgement: honestJudgement(sim.state) });
  const later = sim.state.lastEventAt + INTERIM_MS + 1;
  expect(decide(sim.state, later)).toEqual([]);
  sim.endAttempt(T1, "done");
  expect(decide(sim.state, sim.state.lastEventAt)).toEqual([]);
  expect(decide(sim.state, later)).toEqual([{ do: "judge", final: false }]);
});
