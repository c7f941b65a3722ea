import type { OracleEvidence, TicketEvidence } from "../../../../src/domain/run/oracle-evidence.ts";
import { Fence } from "../../../../src/domain/values/ids.ts";
import { vecItems } from "../../../../src/domain/values/vec.ts";
import type { RunBuilder } from "../../../store/run-builder.ts";
import { plumbing } from "../../../store/scenes.ts";

/** What an oracle says that finds the tracker as the engine holds it. */
export function evidenceOf(run: RunBuilder): OracleEvidence {
  const tickets = [...vecItems(run.state.tickets)].map(({ id, phase, humanStep }): TicketEvidence => {
    if (phase === "human-gated" && humanStep !== undefined) return { id, state: phase, step: humanStep };
    return { id, state: phase === "done" ? "done" : "open" };
  });
  return { askedAt: run.now - 120, judgedAt: run.now, tickets, more: 0 };
}

/** A run whose oracle sees one ticket otherwise than the engine, with heals of every kind and what people did. */
export function judgedScene(): { readonly run: RunBuilder; readonly evidence: OracleEvidence } {
  const run = plumbing();
  run.play({ type: "tripwire-started" });
  run.play({ type: "tripwire-ended", ok: true, canaries: 14, ms: 820 });
  heals(run);
  run.play({ type: "intervention", class: "I7", target: "T-3", note: "set T-3 to open in the tracker, it was not live" });
  run.wait(60);
  const honest = evidenceOf(run);
  const tickets = honest.tickets.map((each) => (each.id === "T-3" ? { ...each, state: "open" as const } : each));
  const open = tickets.filter(({ state }) => state === "open").map(({ id }) => id);
  const counts = { done: tickets.length - 1 - open.length, gated: 1, open: open.length };
  run.play({ type: "oracle-asked", final: false });
  run.play({ type: "oracle-judged", final: false, judgement: { verdict: "not-done", counts, open, durationMs: 120 } });
  run.wait(20).ships("T-8", 15);
  return { run: run.wait(9), evidence: { ...honest, tickets } };
}

function heals(run: RunBuilder): void {
  const start = (n: number, reason: string) =>
    run.play({ type: "heal-started", n, token: Fence.parse(run.state.lastFence + 1), reason, reservedUsd: 1 });
  start(1, "2 of 11 tickets are open: T-10 stalled (3 of 3 attempts failed: apply failed, the bucket is locked)");
  run.wait(95);
  const changed = ["hints.md", "transients.json"] as const;
  run.play({
    type: "heal-ended",
    n: 1,
    outcome: "accepted",
    why: "it changed hints.md, transients.json",
    changed,
    costUsd: 0.41,
  });
  run.play({ type: "tripwire-started" });
  run.play({ type: "tripwire-ended", ok: true, canaries: 14, ms: 790 });
  run.wait(300);
  start(2, "1 of 11 tickets is open: T-10 stalled");
  run.wait(40);
  const why = "worker.md does not name the ticket any more";
  run.play({ type: "heal-ended", n: 2, outcome: "rejected", why, changed: ["worker.md"], costUsd: 0.38 });
}
