import type { RunState } from "../../domain/run/state.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { plural } from "../../domain/values/text.ts";
import { vecItems } from "../../domain/values/vec.ts";
import { formatUsd } from "../format.ts";
import { STYLES, type Style, toned } from "../labels/tone.ts";
import { type OutcomeLine, outcomeLines, shortCause } from "./outcome-lines.ts";

/** What came of the run, of one kind: `✖ 2 broke, both over`, and of which tickets and why. Safe to draw. */
export interface AwayPart extends Style {
  readonly label: string;
  readonly says: string;
}

/** One ticket of which something came: how it stands by its last outcome, and what went wrong before. */
export interface AwayTicket extends Style {
  readonly id: TicketId;
  readonly at: number;
  readonly says: string;
}

const BETWEEN = " · ";

/** What landed, was found, broke, was retried and was decided since then, and what it cost: for somebody who did not look. */
export function awayParts(run: RunState, since: number): readonly AwayPart[] {
  const lines = outcomeLines(run).filter(({ at }) => at >= since);
  const of = (kind: OutcomeLine["kind"]) => lines.filter((line) => line.kind === kind);
  const ids = (all: readonly OutcomeLine[]) => [...new Set(all.flatMap(({ ticket }) => ticket ?? []))].join(" ");
  const late = of("landed").filter(({ cause }) => cause !== undefined);
  const broke = [...of("broke"), ...late].toSorted((a, b) => a.at - b.at);
  const lasting = broke.filter(({ isOver }) => isOver === false).length;
  const how = lasting === 0 ? "over" : `${lasting} not over`;
  const { usd, attempts } = costSince(run, since);
  const parts: readonly (readonly [Style, number, string, string])[] = [
    [STYLES.done, of("landed").length, "landed", ids(of("landed"))],
    [STYLES.found, of("found").length, "found", ids(of("found"))],
    [lasting > 0 ? STYLES.failed : toned(STYLES.failed, "plain"), broke.length, `broke, ${how}`, causes(broke)],
    [STYLES.again, of("retried").length, of("retried").length === 1 ? "retry" : "retries", causes(of("retried"))],
    [STYLES.person, of("decided").length, of("decided").length === 1 ? "decision" : "decisions", causes(of("decided"))],
  ];
  const shown = parts.flatMap(([style, n, word, says]) => (n === 0 ? [] : [{ ...style, label: `${n} ${word}`, says }]));
  if (attempts === 0) return shown.length > 0 ? shown : [{ ...STYLES.waits, label: "nothing", says: "" }];
  return [...shown, { ...STYLES.waits, label: "cost", says: `${formatUsd(usd)} for ${plural(attempts, "attempt")}` }];
}

/** The causes by ticket: `SHOP-2 review: …; out of time · SHOP-3 …`. */
function causes(lines: readonly OutcomeLine[]): string {
  const byTicket = Map.groupBy(lines, ({ ticket }) => ticket ?? "");
  return [...byTicket]
    .map(([id, all]) => `${id} ${all.map(({ cause = "" }) => shortCause(cause)).join("; ")}`.trim())
    .join(BETWEEN);
}

/** Dollars of the attempts that have ended since then, or are under way. */
function costSince(run: RunState, since: number): { readonly usd: number; readonly attempts: number } {
  const tickets = [...vecItems(run.tickets)];
  const ended = tickets.flatMap(({ history }) => history.filter(({ endedAt }) => endedAt >= since));
  const running = tickets.flatMap(({ attempt }) => attempt ?? []);
  const usd = running.reduce((sum, { spentUsd = 0, questionsUsd = 0 }) => sum + spentUsd + questionsUsd, 0);
  return { usd: ended.reduce((sum, { costUsd }) => sum + costUsd, usd), attempts: ended.length + running.length };
}

/** The tickets of which something came, in the order of their last outcome. */
export function awayTickets(run: RunState, since: number): readonly AwayTicket[] {
  const lines = outcomeLines(run).filter(
    ({ at, ticket }) => at >= since && ticket !== undefined && Object.hasOwn(run.plan.index, ticket),
  );
  return [...Map.groupBy(lines, ({ ticket }) => ticket as TicketId)].flatMap(([id, all]) => {
    const last = all.at(-1);
    if (last === undefined) return [];
    const before = all.slice(0, -1).flatMap(({ cause }) => (cause === undefined ? [] : [shortCause(cause)]));
    return [{ id, at: last.at, glyph: last.glyph, tone: last.tone, says: [last.text, ...before].join(BETWEEN) }];
  });
}

/** The same parts as text, a line each. */
export function awayText(run: RunState, since = run.startedAt): readonly string[] {
  return awayParts(run, since).map(({ glyph, label, says }) => `${glyph} ${label}${says === "" ? "" : `: ${says}`}`);
}
