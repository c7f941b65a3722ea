import { changedPaths } from "../batch/changed-paths.ts";
import { defaultFinishLine } from "../batch/default-finish.ts";
import type { Batch, Limits, Ticket } from "../batch/schema.ts";
import type { StepSpec } from "../batch/step-spec.ts";
import { isKeptOutside } from "../batch/tracker-spec.ts";
import { joinedTickets } from "../outbox/discovery.ts";
import type { InterventionClass } from "../results/intervention.ts";
import { contractChanges } from "./contract-changes.ts";
import type { FinishChange, GrowthFact } from "./growth-fact.ts";
import type { RunState } from "./state.ts";

/** One change of a batch file since its run began, which a person may make. */
export interface AllowedChange {
  /** In the file's words: `limits.attempts: 2 → 4`. */
  readonly what: string;
  /** I2: it adds or tightens. I6: it raises a cap. I8: it waives a check. */
  readonly class: Extract<InterventionClass, "I2" | "I6" | "I8">;
  readonly target: string;
}

/** The differences between a batch file and the batch of its unfinished run. */
export interface BatchChanges {
  /** Paths of settings that no run can change. */
  readonly impossible: readonly string[];
  /** Changes of bounds. Those of class I6 and I8 loosen them. */
  readonly bounds: readonly AllowedChange[];
  /** The parts of the batch that change with the bounds; empty if none does. */
  readonly parts: Pick<Extract<GrowthFact, { type: "batch-changed" }>, "limits" | "protect" | "finish" | "contracts">;
  /** New tickets, each behind those that it waits for. */
  readonly added: readonly Ticket[];
  /** The number of workers, if the file has another one. */
  readonly workers: number | undefined;
}

/** Compares a run with its batch file. The tickets that were added to the run or found in it may be in the file or not. */
export function compareBatch(state: RunState, now: Batch): BatchChanges {
  const { batch } = state;
  const grown = new Set(joinedTickets(state).map(({ id }) => id));
  // The query of a service may select a ticket no more, which stays in the run.
  const selected =
    now.tracker.kind === "linear" || now.tracker.kind === "github" ? new Set(now.tickets.map(({ id }) => id)) : undefined;
  const before = batch.tickets
    .filter(({ id }) => !grown.has(id) && selected?.has(id) !== false)
    .map((ticket) => ({ ...ticket, dependsOn: ticket.dependsOn.filter((id) => !grown.has(id)) }));
  const known = new Set(before.map(({ id }) => id));
  const kept = now.tickets.filter(({ id }) => known.has(id));
  const finish = finishChange(state, now);
  const contracts = contractChanges(state, now);
  const fixed = { limits: undefined, protect: undefined, finish: undefined, testCommands: undefined, bounds: undefined };
  // What people write in a ticket folder is read during the run, and is no change of the batch file.
  const words = !isKeptOutside(now.tracker) ? {} : { title: undefined, body: undefined, dependsOn: undefined };
  const unbound = (tickets: readonly Ticket[]) =>
    tickets.map((ticket) => ({ ...ticket, finish: undefined, contract: undefined, ...words }));
  const limits = limitChanges(batch.limits, now.limits);
  const protect = protectChanges(batch.protect, now.protect);
  const changesLimits = limits.length > 0 || now.limits.workers !== batch.limits.workers;
  return {
    impossible: changedPaths({ ...batch, ...fixed, tickets: unbound(before) }, { ...now, ...fixed, tickets: unbound(kept) }),
    bounds: [...limits, ...protect, ...finish.changes, ...contracts.changes],
    parts: {
      ...(changesLimits && { limits: now.limits }),
      ...(protect.length > 0 && { protect: now.protect }),
      ...(finish.part && { finish: finish.part }),
      // Of one that only has another layout, nothing is taken.
      ...(contracts.part && (contracts.changes.length > 0 || finish.part) && { contracts: contracts.part }),
    },
    added: inOrder(
      now.tickets.filter(({ id }) => !known.has(id) && !Object.hasOwn(state.plan.index, id)),
      new Set(state.plan.tickets.map(({ id }) => id)),
    ),
    workers: now.limits.workers === batch.limits.workers || now.limits.workers === state.workers ? undefined : now.limits.workers,
  };
}

/** True for a change that only a person's flag may make. */
export function isLoosening(change: AllowedChange): boolean {
  return change.class !== "I2";
}

function limitChanges(before: Limits, now: Limits): readonly AllowedChange[] {
  return (Object.keys(now) as (keyof Limits)[]).flatMap((key): AllowedChange[] => {
    if (key === "workers" || before[key] === now[key] || before[key] === undefined) return [];
    const isTighter =
      key === "countOtherSessions"
        ? now[key]
        : (now[key] ?? Number.POSITIVE_INFINITY) < (before[key] ?? Number.POSITIVE_INFINITY);
    const what = `limits.${key}: ${before[key]} → ${now[key]}`;
    return [{ what, class: isTighter ? "I2" : "I6", target: `limits.${key}` }];
  });
}

function protectChanges(before: readonly string[], now: readonly string[]): readonly AllowedChange[] {
  const gone = before.filter((glob) => !now.includes(glob));
  const fresh = now.filter((glob) => !before.includes(glob));
  const change = (what: string, kind: AllowedChange["class"]): AllowedChange => ({ what, class: kind, target: "protect" });
  return [
    ...(gone.length === 0 ? [] : [change(`protect: without ${gone.join(" ")}`, "I8")]),
    ...(fresh.length === 0 ? [] : [change(`protect: with ${fresh.join(" ")}`, "I2")]),
  ];
}

/** A finish line becomes stricter only if all of its steps stay, in their order, and others join them. */
function finishChange(
  { batch, plan }: RunState,
  now: Batch,
): { readonly changes: readonly AllowedChange[]; readonly part?: FinishChange } {
  const lines = new Map(now.tickets.map(({ id, finish }) => [id, finish]));
  const tickets = plan.tickets.flatMap((ticket) => {
    const line = lines.get(ticket.id);
    if (line === undefined || isSame(line, ticket.finish)) return [];
    // A ticket folder does not hold the line that a ticket was added with.
    const hasOwn = ticket.added === true && !isSame(ticket.finish, defaultFinishLine(batch, ticket.repo));
    if (hasOwn && isKeptOutside(now.tracker) && isSame(line, defaultFinishLine(now, ticket.repo))) return [];
    return [{ id: ticket.id, before: ticket.finish, line }];
  });
  const isSameBatch = isSame(batch.finish, now.finish) && isSame(batch.testCommands, now.testCommands);
  if (tickets.length === 0 && isSameBatch) return { changes: [] };
  const changes = tickets.map(({ id, before, line }): AllowedChange => {
    const what = `finish of ${id}: ${joinStepNames(before)} → ${joinStepNames(line)}`;
    return { what, class: isWithin(before, line) ? "I2" : "I8", target: "finish" };
  });
  const repos = Object.keys(now.repos);
  const isStricter = repos.every((repo) => isWithin(defaultFinishLine(batch, repo), defaultFinishLine(now, repo)));
  const byDefault: AllowedChange = {
    what: `finish: ${joinStepNames(batch.finish ?? [])} → ${joinStepNames(now.finish ?? [])}`,
    class: isStricter ? "I2" : "I8",
    target: "finish",
  };
  return {
    // Tickets that join later have the batch's line, whatever those of now have.
    changes:
      changes.length === 0 || (!isSameBatch && !isStricter && !changes.some(isLoosening)) ? [byDefault, ...changes] : changes,
    part: {
      batch: now.finish,
      testCommands: now.testCommands,
      tickets: Object.fromEntries(tickets.map(({ id, line }) => [id, line])),
    },
  };
}

function joinStepNames(finish: readonly StepSpec[]): string {
  return finish.map((step) => ("name" in step ? step.name : step.step)).join(" ");
}

/** True if `line` has all steps of `before`, unchanged and in their order. */
function isWithin(before: readonly StepSpec[], line: readonly StepSpec[]): boolean {
  let at = 0;
  for (const step of line) if (at < before.length && isSame(before[at], step)) at += 1;
  return at === before.length;
}

/** The same to a journal, which keeps values as JSON. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Tickets behind those that they wait for. The batch check has refused cycles. */
function inOrder(tickets: readonly Ticket[], known: ReadonlySet<string>): readonly Ticket[] {
  const ordered: Ticket[] = [];
  const there = new Set(known);
  for (let left = tickets; left.length > 0; left = left.filter(({ id }) => !there.has(id))) {
    const next = left.filter(({ dependsOn }) => dependsOn.every((id) => there.has(id)));
    if (next.length === 0) throw new RangeError(`new tickets wait for each other: ${left.map(({ id }) => id).join(", ")}`);
    for (const ticket of next) there.add(ticket.id);
    ordered.push(...next);
  }
  return ordered;
}
