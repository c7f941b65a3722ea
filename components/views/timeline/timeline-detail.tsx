import type { ReactNode } from "react";
import { useShallow } from "zustand/react/shallow";
import type { PastAttempt, TicketState } from "../../../src/domain/run/ticket-state.ts";
import type { TicketId } from "../../../src/domain/values/ids.ts";
import { plural } from "../../../src/domain/values/plural.ts";
import { ticketIn } from "../../../src/store/dashboard-state.ts";
import { displayText } from "../../../src/store/display-text.ts";
import { formatClock, formatElapsed } from "../../../src/store/format.ts";
import { keyIn } from "../../../src/store/keymap/key-labels.ts";
import { attemptEnd, outcomeLabel } from "../../../src/store/labels/outcome-label.ts";
import { titleOf } from "../../../src/store/labels/ticket-label.ts";
import { ticketUrl } from "../../../src/store/links.ts";
import { useDashboard } from "../../kit/dashboard-context.ts";
import { cut } from "../../kit/fit.ts";
import { Rule } from "../../kit/rule.tsx";
import { cutSpans, linkOf, linkSpans, type Span, type SpanLine, Spans } from "../../kit/spans.tsx";
import { Line, Say } from "../../kit/text.tsx";
import { Time } from "../../kit/time.tsx";
import { segmentStyle } from "./segment-style.ts";

/** The attempts of the selected ticket in words, newest first, in exactly `lines` lines: 2, or 4 with a title. */
export function TimelineDetail(options: {
  readonly id: TicketId | undefined;
  readonly width: number;
  readonly lines: number;
}): ReactNode {
  const { id, width } = options;
  const attempts = useDashboard((s) => (id === undefined ? 0 : attemptCount(s, id)));
  const ticket = useDashboard((s) => (id === undefined ? undefined : ticketIn(s, id)));
  const history = ticket?.history ?? [];
  const title = useDashboard((s) => (id === undefined ? "" : titleOf(s, id)));
  const roomy = options.lines > 2;
  const room = roomy ? options.lines - 1 : options.lines;
  const running = attempts > history.length;
  const past = history.toReversed().slice(0, room - (running ? 1 : 0));
  const hidden = history.length - past.length;
  const url = useDashboard((s) => (id === undefined ? undefined : ticketUrl(ticketIn(s, id))));
  const words = `${plural(attempts, "attempt")}${hidden === 0 ? "" : `, +${hidden} more`} · ${title}`;
  const keys = useDashboard((s) => keyIn(s, "timeline", "select-next"));
  const none = id === undefined ? selectLabel(keys) : `${id} was not tried yet · ${title}`;
  const used = past.length + (running ? 1 : 0);
  return (
    <>
      {roomy && <Rule title={id ?? "SELECTED"} count={cut(id === undefined ? "none" : words, width - 24)} width={width} />}
      {used === 0 && <Spans line={[{ text: cut(` ${none}`, width), tone: "waiting" }]} />}
      {running && id !== undefined && <Running id={id} width={width} />}
      {ticket !== undefined &&
        past.map((each) => (
          <Spans key={each.n} line={linkSpans(cutSpans(pastLine(ticket, each), width), [linkOf(ticket.id, width, url)])} />
        ))}
      {Array.from({ length: room - Math.max(1, used) }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an empty line is its place
        <Spans key={`blank ${i}`} line={[{ text: " " }]} />
      ))}
    </>
  );
}

function selectLabel(keys: string): string {
  return keys === "" ? "no ticket is selected" : `${keys} select a ticket`;
}

function attemptCount(state: Parameters<typeof ticketIn>[0], id: TicketId): number {
  const ticket = ticketIn(state, id);
  return (ticket?.history.length ?? 0) + (ticket?.attempt === undefined ? 0 : 1);
}

/** `T-6 attempt 2  failed  12:20:01–12:25:41  agent 05:00  finish line 00:40  2 of 88: …`. */
function pastLine(ticket: TicketState, pastAttempt: PastAttempt): SpanLine {
  const outcome = attemptEnd(ticket, pastAttempt);
  const { tone, cap, fill } = segmentStyle({ outcome, part: "agent", to: pastAttempt.endedAt });
  const finish: readonly Span[] =
    pastAttempt.endedAt > pastAttempt.slotLeftAt
      ? [{ text: `  finish line ${formatElapsed(pastAttempt.endedAt - pastAttempt.slotLeftAt)}`, tone: "waiting" }]
      : [];
  return [
    { text: ` ${cap}${fill} `, tone },
    { text: `${ticket.id} attempt ${pastAttempt.n}  `, bold: true },
    { text: outcomeLabel(outcome, true).word, tone },
    {
      text: `  ${formatClock(pastAttempt.startedAt)}–${formatClock(pastAttempt.endedAt)}  slot ${pastAttempt.slot + 1}`,
      tone: "waiting",
    },
    { text: `  agent ${formatElapsed(pastAttempt.slotLeftAt - pastAttempt.startedAt)}`, tone: "waiting" },
    ...finish,
    { text: `  ${displayText(pastAttempt.summary)}` },
  ];
}

function Running({ id, width }: { readonly id: TicketId; readonly width: number }): ReactNode {
  const of = useDashboard(
    useShallow((s) => {
      const attempt = ticketIn(s, id)?.attempt;
      return {
        n: attempt?.n ?? 0,
        slot: attempt?.slot ?? 0,
        startedAt: attempt?.startedAt ?? 0,
        left: attempt?.slotLeftAt,
        isHeld: attempt?.isHeld,
      };
    }),
  );
  const heldSince = useDashboard((s) => s.run?.outages?.journal?.since);
  const { cap, fill, tone } = segmentStyle({ part: "agent", ...(of.isHeld && { outcome: "held" }) });
  const since = (of.isHeld ? heldSince : undefined) ?? of.left ?? of.startedAt;
  const where = of.isHeld ? "held" : of.left === undefined ? "at work" : "on the finish line";
  const head = ` ${cap}${fill} `;
  const name = `${id} attempt ${of.n}  `;
  const rest = cut(`${where} since ${formatClock(since)}  slot ${of.slot + 1}`, width - head.length - name.length - 12);
  return (
    <Line>
      <Say tone={tone}>{head}</Say>
      <Say bold>{name}</Say>
      <Say tone={tone}>{rest}</Say>
      <Time since={since} format="elapsed" prefix="  " width={10} tone="waiting" />
    </Line>
  );
}
