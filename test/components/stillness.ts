import type { RunEvent } from "../../src/domain/run/event.ts";
import { reduce } from "../../src/domain/run/reduce.ts";
import { createDashboardStore } from "../../src/store/dashboard-store.ts";
import { createFeed } from "../../src/store/feed.ts";
import { drawn } from "./mount.tsx";

/** The places of a frame that must not change without a cause. */
interface Places {
  /** Line of each heading of the overview, by its word. */
  readonly headings: ReadonlyMap<string, number>;
  /** Line and first columns of each attempt: its id's, and that of its time. */
  readonly attempts: ReadonlyMap<string, string>;
  /** The causes by which blocks may move: lines of needs, in a narrow terminal rows of attempts, and more of them than fit. */
  readonly cause: string;
}

const HEADING = /[─┬├] (AT WORK|OUTCOMES|NEEDS YOU|ORACLE) /g;
const ATTEMPT = /^.([^ \w│]) ([\w-]+) .* \d\d:\d\d/;

/**
 * Plays a run's events on a dashboard, one by one, and gives what moved on the overview without a cause: a heading, or the row or a
 * column of an attempt that goes on.
 */
export async function movedWithoutCause(
  events: readonly RunEvent[],
  [columns, rows]: readonly [number, number],
): Promise<readonly string[]> {
  const [first, ...others] = events;
  if (first === undefined) throw new Error("a run without events");
  let state = reduce(undefined, first);
  let now = first.at;
  const store = createDashboardStore({ now });
  const feed = createFeed(store, { now: () => now });
  feed.take({ kind: "snapshot", state, recent: [first] });
  await using screen = await drawn(store, columns, rows, { now: () => now });
  const places = async (): Promise<Places> => {
    await screen.drawn();
    const lines = await screen.stage.terminal.lines();
    const headings = lines.flatMap((line, at) => [...line.matchAll(HEADING)].map(([, word = ""]) => [word, at] as const));
    const attempts = lines.slice(2).flatMap((line, at) => {
      const [left = ""] = line.split("│");
      const [whole = "", , id = ""] = ATTEMPT.exec(left) ?? [];
      return id === "" ? [] : [[id, `row ${at}, columns 3 and ${whole.length}`] as const];
    });
    const { lists } = store.getState();
    const isFull = lines.some((line) => /^ {3}.*\+\d+ more/.test(line.split("│")[0] ?? ""));
    const needs = headings.some(([word]) => word === "NEEDS YOU") ? lists.needs.length : 0;
    return {
      headings: new Map(headings),
      attempts: new Map(attempts),
      cause: JSON.stringify([needs, lists.needs, columns < 100 && lists.rows.length, isFull ? lists.rows : ""]),
    };
  };
  const moved: string[] = [];
  let before = await places();
  for (const event of others) {
    now = event.at;
    state = reduce(state, event);
    feed.take({ kind: "event", event });
    feed.flush();
    store.tick(now);
    if (state.end !== undefined) break;
    const after = await places();
    const active = store.getState().lists.rows;
    if (after.cause === before.cause)
      for (const [word, at] of before.headings)
        if (after.headings.get(word) !== at)
          moved.push(`${event.type} ${event.seq}: ${word} from line ${at} to ${after.headings.get(word)}`);
    for (const [id, at] of before.attempts) {
      const isSame = active.some((each) => each === id) && after.cause === before.cause;
      if (isSame && after.attempts.get(id) !== at)
        moved.push(`${event.type} ${event.seq}: ${id} from ${at} to ${after.attempts.get(id)}`);
    }
    before = after;
  }
  feed.close();
  return moved;
}
