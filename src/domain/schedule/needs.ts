import { describeAwaited } from "../run/approval.ts";
import { findLanding } from "../run/carry-over.ts";
import { isMissing, missingRemedy } from "../run/drift-fact.ts";
import type { RunState } from "../run/state.ts";
import type { TicketState } from "../run/ticket-state.ts";
import type { TicketId } from "../values/ids.ts";
import { plainText } from "../values/text.ts";
import { vecAt, vecItems } from "../values/vec.ts";
import { ticketsAwaiting } from "./approvals.ts";
import { describeHalt } from "./backoff.ts";
import { describeBroken, isBeyondRepair, responseTo } from "./freeze.ts";

/** Something that goes on only once a person has acted. */
export interface Need {
  /**
   * What it is: no agent starts any more, a broken base that nothing in this run repairs, a change that waits for an approval, a step
   * that is left to a person, a ticket that is gone from the tracker, a landed change that is no longer checked, or a stalled ticket.
   */
  readonly kind: "halt" | "base" | "approval" | "step" | "missing" | "not-live" | "stalled";
  /** Absent if it concerns the whole run. */
  readonly ticket?: TicketId;
  /** The step or the cause, which it begins with. It may hold words of agents and trackers. */
  readonly says: string;
  /** Open tickets that depend on it. */
  readonly blocks: readonly TicketId[];
  /** Milliseconds since the epoch; absent if nobody knows. */
  readonly since?: number;
}

/** Characters of a need in one line. */
const LINE_CHARS = 600;

/** A state never changes, so its needs are found once. */
const found = new WeakMap<RunState, readonly Need[]>();

/** Everything that needs a person: what stops all of it first, then what a key settles, then stalled tickets. */
export function listNeeds(state: RunState): readonly Need[] {
  const known = found.get(state);
  if (known !== undefined) return known;
  const needs = findNeeds(state);
  found.set(state, needs);
  return needs;
}

function findNeeds(state: RunState): readonly Need[] {
  const awaiting = new Set(ticketsAwaiting(state).map(({ id }) => id));
  const tickets = [...vecItems(state.tickets)].flatMap((ticket, index) => ticketNeed(state, ticket, { index, awaiting }));
  const order: readonly Need["kind"][] = ["approval", "step", "missing", "not-live", "stalled"];
  return [...runNeeds(state), ...order.flatMap((kind) => tickets.filter((need) => need.kind === kind))];
}

function runNeeds(state: RunState): readonly Need[] {
  const { halted, brokenBases } = state;
  const bases = Object.entries(brokenBases).filter(
    ([, broken]) => responseTo(state, broken) === "frozen" && isBeyondRepair(state, broken),
  );
  return [
    ...(halted === undefined ? [] : [{ kind: "halt", says: describeHalt(halted), blocks: [] } as const]),
    ...bases.map(([repo, broken]): Need => {
      const says = `repair ${repo}, on which nothing lands: ${describeBroken(broken, repo)}`;
      return { kind: "base", says, since: broken.since, blocks: [] };
    }),
  ];
}

function ticketNeed(
  state: RunState,
  ticket: TicketState,
  { index, awaiting }: { readonly index: number; readonly awaiting: ReadonlySet<TicketId> },
): readonly Need[] {
  const { id, phase, approval, live } = ticket;
  const blocks = (state.plan.dependents[index] ?? []).flatMap((at) => {
    const other = vecAt(state.tickets, at);
    return other.phase === "done" ? [] : [other.id];
  });
  const need = (kind: Need["kind"], says: string, since = ticket.endedAt): readonly Need[] => [
    { kind, ticket: id, says, blocks, since },
  ];
  if (phase !== "done" && ticket.attempt === undefined && isMissing(ticket))
    return need("missing", `${missingRemedy(ticket)}, or begin a run without it: --fresh`);
  if (approval !== undefined && awaiting.has(id)) return need("approval", `approve ${describeAwaited(approval)}`, approval.at);
  if (phase === "human-gated") return need("step", stepWithCommit(ticket));
  if (phase === "stalled") return need("stalled", ticket.stalledReason ?? "stalled");
  if (phase === "landed" && live?.givenUp !== undefined) return need("not-live", `not live: ${live.givenUp}`);
  return [];
}

/** The step that is left, and behind it the commit of what was built for it. */
function stepWithCommit(ticket: TicketState): string {
  const built = findLanding(ticket)?.sha.slice(0, 7);
  return `${ticket.humanStep ?? "a step is left to you"}${built === undefined ? "" : ` · built: ${built}`}`;
}

/** The tickets that wait for a need: `SHOP-4 waits for it`, `3 tickets wait for it`; empty if none does. */
export function describeBlocked({ blocks }: NeedOrder): string {
  if (blocks.length > 1) return `${blocks.length} tickets wait for it`;
  return blocks[0] === undefined ? "" : `${blocks[0]} waits for it`;
}

/** Orders needs: what most tickets wait for first, then what has waited longest; what nobody knows the time of comes last. */
export function compareNeeds(a: NeedOrder, b: NeedOrder): number {
  const since = ({ since: at = Number.MAX_SAFE_INTEGER }: NeedOrder): number => at;
  return b.blocks.length - a.blocks.length || since(a) - since(b);
}

/** The parts of a need that order it. */
interface NeedOrder {
  readonly blocks: readonly string[];
  readonly since?: number;
}

/** A need in one line: whom or what it concerns, what to do or what failed, and what waits for it. */
export function describeNeed(need: Need): string {
  const says = [need.says, describeBlocked(need)].filter(Boolean).join(" · ");
  return plainText(`${need.ticket ?? need.kind}  ${says}`, LINE_CHARS);
}
