import { describe, expect, test } from "vitest";
import { admitCommand } from "../../../src/domain/run/admit.ts";
import { Command, HumanStep } from "../../../src/domain/run/command.ts";
import { type Fence, RepoId, TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const [T1, T2, T3] = ["T-1", "T-2", "T-3"].map((name) => TicketId.parse(name)) as [TicketId, TicketId, TicketId];
const F1 = 1 as Fence;

describe("commands", () => {
  const step = HumanStep.parse("press it");
  const working = () => {
    const sim = new Simulation(batchOf([ticketOf("T-1"), ticketOf("T-2"), ticketOf("T-3")], { workers: 1 }));
    sim.decide();
    return sim;
  };
  const refusal = (sim: Simulation, command: Command) => {
    const [fact] = admitCommand(sim.state, command);
    return fact?.type === "command-refused" ? fact.reason : undefined;
  };

  test("that are granted, and what each is counted as", () => {
    const { state } = working();
    const granted = (command: Command) => admitCommand(state, command);
    expect(granted({ type: "pause" })).toEqual([
      { type: "intervention", class: "I2", target: "run", note: "paused" },
      { type: "run-paused" },
    ]);
    expect(granted({ type: "stop" })).toEqual([
      { type: "intervention", class: "I5", target: "run", note: "stopped" },
      { type: "stop-requested", by: "person" },
    ]);
    expect(granted({ type: "kill", ticket: T1 })).toEqual([
      { type: "intervention", class: "I5", target: "T-1", note: "worker killed" },
      { type: "kill-requested", ticket: T1, fence: 1, ending: "killed-by-person" },
    ]);
    expect(granted({ type: "gate", ticket: T2, step })).toEqual([
      { type: "intervention", class: "I7", target: "T-2", note: "marked human-gated" },
      { type: "gate-requested", ticket: T2, step },
    ]);
  });

  test("a judgement is asked for once at a time", () => {
    const sim = working();
    expect(refusal(sim, { type: "judge" })).toBe("the oracle is judging already");
    const judgement = { verdict: "not-done", counts: { done: 0, gated: 0, open: 3 }, open: [], durationMs: 1 } as const;
    sim.report({ type: "oracle-judged", final: false, judgement });
    expect(admitCommand(sim.state, { type: "judge" })).toEqual([{ type: "oracle-asked", final: false }]);
  });

  test("that make no sense now, each with its reason", () => {
    const sim = working();
    expect(refusal(sim, { type: "kill", ticket: T2 })).toBe("no worker is on T-2");
    sim.report({ type: "run-paused" });
    expect(refusal(sim, { type: "pause" })).toBe("the run is paused already");
    expect(refusal(sim, { type: "unpause" })).toBeUndefined();
    sim.report({ type: "gate-requested", ticket: T2, step });
    expect(refusal(sim, { type: "gate", ticket: T2, step })).toBe("the gate of T-2 is being recorded already");
    sim.report({ type: "ticket-gated", ticket: T2, step });
    expect(refusal(sim, { type: "gate", ticket: T2, step })).toBe("T-2 is human-gated already");
    sim.report({ type: "ticket-stalled", ticket: T3, reason: "" });
    expect(refusal(sim, { type: "gate", ticket: T3, step })).toBeUndefined();
    sim.report({ type: "kill-requested", ticket: T1, fence: F1, ending: "killed-by-person" });
    expect(refusal(sim, { type: "kill", ticket: T1 })).toBe("the worker on T-1 is being ended already");
    sim.report({ type: "stop-requested", by: "person" });
    expect(refusal(sim, { type: "pause" })).toBe("the run is stopping");
  });

  test("a merge is not cut short, neither by a kill nor by a gate", () => {
    const sim = working();
    sim.report({ type: "merge-intended", ticket: T1, fence: F1, repo: RepoId.parse("app"), from: "a", to: "b" });
    expect(refusal(sim, { type: "kill", ticket: T1 })).toBe("T-1 is being merged; a merge is not cut short");
    expect(refusal(sim, { type: "gate", ticket: T1, step })).toBe("T-1 is being merged; gate it afterwards if a step is left");
    sim.report({ type: "merge-waiting", ticket: T1, fence: F1, reason: "dirty" });
    expect(refusal(sim, { type: "kill", ticket: T1 })).toBeUndefined();
  });

  test.for([
    [{ type: "kill", ticket: "../x" }],
    [{ type: "gate", ticket: "T-1", step: " " }],
    [{ type: "gate", ticket: "T-1", step: "a\nb" }],
    [{ type: "gate", ticket: "T-1", step: "\u001b[2J" }],
    [{ type: "gate", ticket: "T-1", step: "x".repeat(501) }],
    [{ type: "pause", extra: 1 }],
    [{ type: "shell", command: "rm" }],
  ])("%j is no command at all", ([input]) => {
    expect(Command.safeParse(input).success).toBe(false);
  });
});
