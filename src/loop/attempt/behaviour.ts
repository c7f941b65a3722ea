import { behaviourThresholds } from "../../domain/batch/behaviour-spec.ts";
import { BehaviourWatch } from "../../domain/behaviour/behaviour-watch.ts";
import { type ReflectedChange, reflectedChange } from "../../domain/behaviour/reflected-change.ts";
import { relevanceGate, topFolder } from "../../domain/behaviour/relevance.ts";
import { areSameSignals, GATES, risenGates, type Signals } from "../../domain/behaviour/signals.ts";
import type { Zone } from "../../domain/bound/bound.ts";
import { touchedZones } from "../../domain/bound/touched.ts";
import { zoneMatcher } from "../../domain/bound/zone-match.ts";
import type { AgentEvent } from "../../domain/run/agent-event.ts";
import { type SignalsFact, UNKNOWN_SIGNALS } from "../../domain/run/signals-fact.ts";
import { ticketById } from "../../domain/run/state.ts";
import type { Change } from "../../ports/vcs.ts";
import { protectedBy } from "../programs/protected-files.ts";
import { protectedFor, touchedProtected } from "../steps/gates.ts";
import { type LoopContext, type OpenAttempt, ticketRepo } from "./context.ts";

/** Least time between two reports of one attempt, and between two that change only reasons. Milliseconds. */
const EVERY_MS = 1_000;
const REASONS_EVERY_MS = 30_000;
/** Reports of reasons alone that one attempt may make; each level rises at most three times. */
const MOST_REASONS = 100;

/**
 * Watches the behaviour of one agent, and reports its signals when they change. `end` reports what is left. `onReport` is called after each
 * report but that, and if a gate has failed again.
 */
export interface BehaviourReports {
  event(event: AgentEvent): void;
  /** Takes a rule of the guard that blocked something. */
  blocked(rule: string): void;
  end(): void;
}

/** What the events of an agent at work show of its gates. */
export type GateWatch = Pick<BehaviourWatch, "count" | "countAnew" | "failedAgain">;

export function watchBehaviour(
  ctx: Pick<LoopContext, "batch" | "clock" | "repos" | "report">,
  { ticket, fence }: Pick<OpenAttempt, "ticket" | "fence">,
  { worktree, onReport }: { readonly worktree: string; readonly onReport?: (watch: GateWatch) => void },
): BehaviourReports {
  const { clock, batch } = ctx;
  const zones = dangerZones(batch, ticket).map(({ path }) => zoneMatcher(path));
  const watch = new BehaviourWatch({
    thresholds: behaviourThresholds(batch),
    isProtected: protectedBy(protectedFor(batch.protect, ticket)),
    isZone: (path) => zones.some((relation) => relation(path) === "inside"),
    roots: [worktree, ticketRepo(ctx, ticket).place],
  });
  let told: Signals = UNKNOWN_SIGNALS;
  let toldAt = Number.NEGATIVE_INFINITY;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let reasons = 0;
  let isChanged = false;
  let off: (() => void) | undefined;
  const flush = (isLast: boolean): void => {
    off?.();
    off = undefined;
    lookedAt = clock.now();
    const now = watch.signals;
    const isDue = !isLast && watch.failedAgain.size > 0;
    if (isDue && areSameSignals(told, now)) onReport?.(watch);
    if (!isChanged || areSameSignals(told, now)) return;
    const isReasonOnly = GATES.every((gate) => told[gate].level === now[gate].level);
    if (isReasonOnly && !isLast && !isDue && (reasons >= MOST_REASONS || clock.now() - toldAt < REASONS_EVERY_MS)) return;
    reasons += isReasonOnly ? 1 : 0;
    ctx.report(signalsFact({ ticket, fence }, told, now));
    isChanged = false;
    told = now;
    toldAt = lookedAt;
    if (!isLast) onReport?.(watch);
  };
  const changed = (): void => {
    isChanged = true;
    if (off !== undefined) return;
    const left = EVERY_MS - (clock.now() - lookedAt);
    if (left <= 0) flush(false);
    else off = clock.after(left, () => flush(false));
  };
  return {
    event(event) {
      if (watch.take(event)) changed();
    },
    blocked(rule) {
      watch.blocked(rule);
      changed();
    },
    end: () => flush(true),
  };
}

/** A captured change as the reflective log keeps it. */
export function reflectChange({ paths, content }: Pick<Change, "paths" | "content">): ReflectedChange {
  return reflectedChange({ paths: paths.map(({ path }) => path), content });
}

/** Reports RELEVANCE as the captured change shows it, for any agent: from here on nobody needs to rely on what a program printed. */
export function reportRelevance(
  ctx: Pick<LoopContext, "batch" | "state" | "report">,
  { ticket, fence }: Pick<OpenAttempt, "ticket" | "fence">,
  change: Pick<Change, "paths">,
): void {
  const before = ticketById(ctx.state(), ticket.id).attempt?.signals ?? UNKNOWN_SIGNALS;
  const protectedPaths = touchedProtected(change, protectedFor(ctx.batch.protect, ticket)).map(({ path }) => path);
  const folders = [...new Set(change.paths.flatMap(({ path }) => topFolder(path) ?? []))];
  const touched = touchedZones(change.paths, dangerZones(ctx.batch, ticket)).flatMap(({ paths }) =>
    paths.map(({ path }) => path),
  );
  const relevance = relevanceGate({ protectedPaths, zones: [...new Set(touched)], folders }, behaviourThresholds(ctx.batch));
  const signals = { ...before, relevance };
  if (!areSameSignals(before, signals)) ctx.report(signalsFact({ ticket, fence }, before, signals));
}

/** The danger zones of the ticket's repository. */
function dangerZones({ bounds }: LoopContext["batch"], { repo }: OpenAttempt["ticket"]): readonly Zone[] {
  return bounds?.[repo]?.zones ?? [];
}

function signalsFact({ ticket, fence }: Pick<OpenAttempt, "ticket" | "fence">, before: Signals, signals: Signals): SignalsFact {
  const risen = risenGates(before, signals);
  return { type: "signals-changed", ticket: ticket.id, fence, signals, risen: risen.length > 0 ? risen : undefined };
}
