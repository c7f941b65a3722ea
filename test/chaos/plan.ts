import type { Random } from "../fuzz/random.ts";
import type { PersonAct, SeededIssue } from "./service-side.ts";

/** Tickets of a batch. */
export const TICKETS = 20;

/** Who acts on a ticket, when, and how. */
export interface PlannedAct {
  /** Milliseconds after the start. */
  readonly at: number;
  /** The number of the issue. */
  readonly issue: number;
  readonly act: PersonAct;
}

/** What one run is about, apart from what goes wrong. */
export interface RunPlan {
  readonly issues: readonly SeededIssue[];
  readonly workers: number;
  /** What people do in the service. */
  readonly acts: readonly PlannedAct[];
  /** Tickets that a person gates in the dashboard: when, which, and the step. */
  readonly gates: readonly { readonly at: number; readonly issue: number; readonly step: string }[];
  /** The titles of what agents discover, by the number of the issue that they work on. */
  readonly discoveries: ReadonlyMap<number, { readonly title: string; readonly blocks: boolean }>;
  /** How long the agent works on a ticket, and whether it fails, by the number of the issue. The first attempt alone fails. */
  readonly work: readonly { readonly ms: number; readonly fails: boolean }[];
  /** The engine is killed each time after so many events, or while the server has the last of so many requests; another takes over. */
  readonly kills: readonly { readonly after: "events" | "requests"; readonly count: number; readonly downMs: number }[];
}

/** The plan of a run. It takes some minutes of the run's clock. */
export function planOf(random: Random): RunPlan {
  const issues = random.list(TICKETS, (at): SeededIssue => {
    const blockedBy = at > 0 && random.chance(0.3) ? [random.between(1, at)] : [];
    return { title: `Ticket ${at + 1}`, body: `What ticket ${at + 1} wants.`, blockedBy };
  });
  const issue = () => random.between(1, TICKETS);
  const acts = random.list(random.between(2, 6), (n): PlannedAct => {
    return { at: random.below(300_000), issue: issue(), act: actOf(random, n) };
  });
  const gates = random.list(random.between(1, 2), (n) => ({
    at: random.below(200_000),
    issue: issue(),
    step: `do step ${n + 1}`,
  }));
  const finders = random.list(random.between(1, 2), issue);
  return {
    issues,
    workers: random.between(2, 5),
    acts: acts.toSorted((a, b) => a.at - b.at),
    gates,
    discoveries: new Map(finders.map((each) => [each, { title: `Found at ${each}`, blocks: random.chance(0.3) }])),
    work: random.list(TICKETS, () => ({ ms: random.between(2_000, 60_000), fails: random.chance(0.1) })),
    kills: random.chance(0.35)
      ? random.list(random.between(1, 2), () => ({
          after: random.pick(["events", "requests", "requests"] as const),
          count: random.between(3, 250),
          downMs: random.pick([100, 2_000, 30_000]),
        }))
      : [],
  };
}

function actOf(random: Random, n: number): PersonAct {
  const kind = random.pick(["retitle", "rewrite", "comment", "close", "reopen", "gate"] as const);
  if (kind === "gate") return { do: kind, step: `ask Jo ${n}` };
  return kind === "close" || kind === "reopen" ? { do: kind } : { do: kind, text: `Words of Jo ${n}` };
}
