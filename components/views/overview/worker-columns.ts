import type { Plan } from "../../../src/domain/run/state.ts";
import { type Density, idWidth } from "../../frame/layout.ts";
import { textWidth } from "../../kit/fit.ts";

/** Widths of the columns of all worker rows. They follow from the batch and the terminal, and never change during a run. */
export interface WorkerColumns {
  readonly id: number;
  readonly title: number;
  /** Zero if all tickets share a repository, or there is no room. */
  readonly repo: number;
  /** `attempt 12` in ten columns, or `#12` in three. */
  readonly attempt: number;
  /** Zero if there is no room for the marks of the finish line, or a line of its own has it in words. */
  readonly track: number;
  readonly stage: number;
  readonly elapsed: number;
  /** In rows of one line: the worker's status; zero if there is no room. */
  readonly saying: number;
  readonly quiet: number;
}

const LONGEST_TRACK = 8;

/** Divides the width of the workers' block. */
export function workerColumns(plan: Plan, repos: readonly string[], width: number, density: Density): WorkerColumns {
  const id = idWidth(plan);
  const repo = repos.length > 1 && width >= 72 ? Math.min(10, Math.max(...repos.map(textWidth))) : 0;
  const steps = Math.max(1, ...plan.tickets.map((t) => t.finish.length));
  const oneLine = density === 1;
  const track = width >= 66 && steps <= LONGEST_TRACK ? steps : 0;
  const stage = width >= 84 ? 18 : 12;
  const quiet = oneLine ? 6 : 0;
  const attempt = width >= 84 ? 10 : 3;
  const fixed = 3 + id + 2 + gap(repo) + (attempt + 1) + gap(track) + (stage + 1) + quiet + 7 + 1;
  const free = width - fixed;
  const saying = oneLine && free >= 44 ? Math.floor(free * 0.55) : 0;
  return { id, title: Math.max(4, free - gap(saying)), repo, attempt, track, stage, elapsed: 7, saying, quiet };
}

function gap(column: number): number {
  return column === 0 ? 0 : column + 1;
}
