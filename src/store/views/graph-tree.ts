import type { Plan } from "../../domain/run/state.ts";
import { topologicalOrder } from "../../domain/schedule/plan.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import type { DashboardState } from "../dashboard-state.ts";

/** A row of the graph: a ticket below the one that it waits for. Tickets are known by index. */
export interface GraphRow {
  readonly index: number;
  /** For each of its layers: whether the ticket of its branch is the last one there. Empty for one that waits for nobody. */
  readonly branch: readonly boolean[];
  /** The dependency that it stands below. */
  readonly above?: number;
  /** Its other ones. */
  readonly others: readonly number[];
}

/**
 * The rows of a plan, without some of its tickets: each ticket once, below the dependency that comes last. So its layer says how many
 * tickets come before it, one after the other. Pure and deterministic.
 */
export function growGraph(plan: Plan, leftOut: ReadonlySet<number> = new Set()): readonly GraphRow[] {
  const deps = plan.tickets.map(({ dependsOn }) => [...new Set(dependsOn.flatMap((id) => plan.index[id] ?? []))]);
  const waitsFor = deps.map((own) => own.filter((dep) => !leftOut.has(dep)));
  const layer: number[] = [];
  const order = topologicalOrder(plan.tickets, plan.dependents).filter((index) => !leftOut.has(index));
  for (const index of order) layer[index] = Math.max(-1, ...(waitsFor[index] ?? []).map((dep) => layer[dep] ?? 0)) + 1;
  const aboveOf = (index: number) => waitsFor[index]?.find((dep) => layer[dep] === (layer[index] ?? 0) - 1);
  const below = Map.groupBy(
    order.toSorted((a, b) => a - b),
    aboveOf,
  );
  const grow = (above: number | undefined, branch: readonly boolean[]): readonly GraphRow[] =>
    (below.get(above) ?? []).flatMap((index, i, all) => {
      const own = above === undefined ? [] : [...branch, i === all.length - 1];
      const others = (waitsFor[index] ?? []).filter((dep) => dep !== above);
      return [{ index, branch: own, ...(above !== undefined && { above }), others }, ...grow(index, own)];
    });
  return grow(undefined, []);
}

interface Grown {
  readonly done: readonly TicketId[];
  readonly rows: readonly GraphRow[];
}
const known = new WeakMap<Plan, Grown>();
const NONE: readonly TicketId[] = [];

/** The rows of the graph view: all tickets, or those that are not done. */
export function graphRows({ run, lists, ui }: Pick<DashboardState, "run" | "lists" | "ui">): readonly GraphRow[] {
  if (run === undefined) return [];
  const done = ui.isDoneHidden ? lists.done : NONE;
  const before = known.get(run.plan);
  if (before?.done === done) return before.rows;
  const rows = growGraph(run.plan, new Set(done.flatMap((id) => run.plan.index[id] ?? [])));
  known.set(run.plan, { done, rows });
  return rows;
}

/** The neighbour of the selected ticket: what it stands below, or the first ticket that stands below it. */
export function graphNeighbour(state: DashboardState, step: "left" | "right"): TicketId | undefined {
  const { run, ui } = state;
  const rows = graphRows(state);
  const at = rows.find(({ index }) => run?.plan.tickets[index]?.id === ui.selected);
  const to = step === "left" ? at?.above : rows.find(({ above }) => above !== undefined && above === at?.index)?.index;
  return to === undefined ? undefined : run?.plan.tickets[to]?.id;
}

/** The direct dependents of a ticket, by index, each once. */
export function dependentsIn(plan: Plan, index: number): readonly number[] {
  return [...new Set(plan.dependents[index] ?? [])];
}

/**
 * The longest path of remaining work, from its first ticket to its last, by index: tickets that are neither done nor left to a
 * person. Empty if there is none.
 */
export function criticalPath(plan: Plan, isOver: (index: number) => boolean): readonly number[] {
  const rank = (index: number): number => plan.rank[index] ?? 0;
  const best = (among: readonly number[]): number | undefined =>
    among
      .filter((i) => !isOver(i))
      .reduce<number | undefined>((a, b) => (a === undefined || rank(b) > rank(a) ? b : a), undefined);
  const path: number[] = [];
  for (let at = best(plan.tickets.map((_, i) => i)); at !== undefined; at = best(plan.dependents[at] ?? [])) path.push(at);
  return path;
}
