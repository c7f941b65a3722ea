import { Box } from "ink";
import { memo, type ReactNode } from "react";
import { useShallow } from "zustand/react/shallow";
import type { TicketState } from "../../../src/domain/run/ticket-state.ts";
import { ticketUsd } from "../../../src/domain/schedule/money.ts";
import { plannedTicket } from "../../../src/domain/schedule/plan.ts";
import { type DashboardState, ticketIn } from "../../../src/store/dashboard-state.ts";
import { displayText, formatUsd } from "../../../src/store/format.ts";
import { keyIn } from "../../../src/store/keymap/key-labels.ts";
import { contractLabel } from "../../../src/store/labels/contract-label.ts";
import { displayTitle, originParts } from "../../../src/store/labels/ticket-label.ts";
import { landingLink, serviceLink, ticketUrl } from "../../../src/store/links.ts";
import { FRAME_LINES, ViewFrame } from "../../frame/view-frame.tsx";
import { useDashboard, useDrawn } from "../../kit/dashboard-context.ts";
import { cut, fitTo, textWidth } from "../../kit/fit.ts";
import { cutSpans, Inner, Line, linkSpans, Rule, Say, type Span, Spans, spansWidth, Time, toLink } from "../../kit/spans.tsx";
import { hiddenLabel, type ViewSize, type Window } from "../../kit/window.ts";
import { type AttemptLine, attemptLine, TIME_WIDTH, trackLine } from "./attempt-lines.ts";
import { type HeadPart, headHeight, headParts } from "./head-lines.ts";
import { TextPane } from "./text-pane.tsx";
import { shownAttempt, shownAttempts, ticketLayout } from "./ticket-layout.ts";
import { useTarget } from "./use-target.ts";

/** All about the selected ticket: its attempts with their steps, and the files of each. */
export function TicketView({ columns, height }: ViewSize): ReactNode {
  useDrawn("ticket");
  const inside = { columns, height: height - FRAME_LINES };
  const head = useDashboard((s) => headHeight(s, inside));
  const selected = useDashboard((s) => s.ui.selected !== undefined && ticketIn(s, s.ui.selected) !== undefined);
  return (
    <ViewFrame columns={columns} height={height}>
      {selected ? (
        <>
          <TicketHead {...inside} />
          <Body columns={columns} height={inside.height - head} />
        </>
      ) : (
        <Unselected {...inside} />
      )}
    </ViewFrame>
  );
}

function Body({ columns, height }: ViewSize): ReactNode {
  const attempts = useDashboard((s) => {
    const ticket = s.ui.selected === undefined ? undefined : ticketIn(s, s.ui.selected);
    return (ticket?.history.length ?? 0) + (ticket?.attempt === undefined ? 0 : 1);
  });
  if (attempts === 0) return <NoAttempt />;
  const { wide, list, text } = ticketLayout({ columns, height }, attempts);
  if (wide)
    return (
      <Box flexDirection="row" height={height} flexShrink={0}>
        <AttemptList {...list} />
        <TextPane {...text} left="│ " />
      </Box>
    );
  return (
    <>
      <AttemptRows {...list} />
      <TextPane {...text} left=" " />
    </>
  );
}

/** Without a ticket, the view shows what the run waits for. */
function Unselected(size: ViewSize): ReactNode {
  const keys = useDashboard((s) => keyIn(s, "ticket", "down"));
  return (
    <>
      <Line>
        <Say tone="waiting">{` no ticket is selected${keys === "" ? "" : `; ${keys} select the first one`}`}</Say>
      </Line>
      <HeadParts {...size} />
    </>
  );
}

function NoAttempt(): ReactNode {
  return (
    <Line>
      <Say tone="waiting"> no attempt yet: there is no log, no change and no cost</Say>
    </Line>
  );
}

/** The attempt history, one line for each step of the chosen attempt and two for each other. */
const AttemptList = memo(function AttemptList({ columns, height }: ViewSize): ReactNode {
  useDrawn("ticket attempts");
  const target = useTarget();
  if (target === undefined) return <Box width={columns} height={height} flexShrink={0} />;
  const { lines, window } = shownAttempt(target, { columns, height });
  return (
    <Box flexDirection="column" width={columns} height={height} flexShrink={0}>
      <Rule title="ATTEMPTS" count={String(target.attempts.length)} width={columns} />
      <Lines lines={lines} columns={columns - 1} window={window} />
    </Box>
  );
});

/** The attempts of a ticket, a line each. */
const AttemptRows = memo(function AttemptRows({ columns, height }: ViewSize): ReactNode {
  useDrawn("ticket attempts");
  const target = useTarget();
  const attempts = target?.attempts ?? [];
  const alone = height === 1 && attempts.length > 1;
  const count = alone ? ` of ${attempts.length}` : "";
  const lines = attempts.map((attempt) =>
    attemptLine(attempt, { chosen: attempt === target?.attempt && attempts.length > 1, width: columns, count }),
  );
  return (
    <Box flexDirection="column" width={columns} height={height} flexShrink={0}>
      <Lines lines={lines} columns={columns} window={shownAttempts(attempts, target?.attempt, height)} />
    </Box>
  );
});

function Lines(options: {
  readonly lines: readonly AttemptLine[];
  readonly columns: number;
  readonly window: Window;
}): ReactNode {
  const { lines, columns, window } = options;
  return (
    <>
      {lines.slice(window.start, window.end).map(({ line, since }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its position in the history
        <One key={window.start + i} line={line} since={since} columns={columns} />
      ))}
      {window.above + window.below > 0 && (
        <Line>
          <Say tone="waiting">{fitTo(` ${hiddenLabel(window)}`, columns)}</Say>
        </Line>
      )}
    </>
  );
}

function One({ line, since, columns }: Pick<AttemptLine, "line" | "since"> & { readonly columns: number }): ReactNode {
  const room = columns - (since === undefined ? 0 : TIME_WIDTH);
  const shown = cutSpans(line, room);
  return (
    <Line>
      <Inner line={shown} />
      <Say>{" ".repeat(Math.max(0, room - spansWidth(shown)))}</Say>
      {since !== undefined && <Time since={since} format="elapsed" width={TIME_WIDTH} tone="waiting" />}
    </Line>
  );
}

/** A long title keeps this share of its line, and its cost and dependencies take the rest. */
const TITLE_SHARE = 0.7;

/** The ticket, its state, and the progress of the chosen attempt on its finish line. `height`: lines of the view without its frame. */
const TicketHead = memo(function TicketHead({ columns: width, height }: ViewSize): ReactNode {
  useDrawn("ticket head");
  const { id, title, about, url } = useDashboard(useShallow(describeTicket));
  const service = useDashboard(useShallow((s) => serviceLink(selectedIn(s))));
  const target = useTarget();
  const room = width - textWidth(id) - 3;
  const meta = cut(about, Math.max(0, room - Math.max(20, Math.min(textWidth(title), Math.floor(room * TITLE_SHARE)))));
  return (
    <>
      <Spans
        line={linkSpans<Span>(
          [
            { text: ` ${id} ${fitTo(title, room - textWidth(meta))}`, bold: true },
            { text: ` ${meta}`, tone: "waiting" },
          ],
          [toLink(id, width, url), service],
        )}
      />
      <HeadParts columns={width} height={height} />
      {target === undefined ? <Line> </Line> : <Spans line={cutSpans(trackLine(target.attempt, target.entry, width), width)} />}
    </>
  );
});

/** Draws the sentences of the head on the ticket and on the run. */
function HeadParts({ columns, height }: ViewSize): ReactNode {
  const parts = JSON.parse(useDashboard((s) => JSON.stringify(headParts(s, { columns, height })))) as readonly HeadPart[];
  const landing = useDashboard(useShallow((s) => landingLink(s.run, selectedIn(s))));
  return parts.flatMap(({ glyph, tone, lines }, part) =>
    lines.map((text, i) => (
      <Spans
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place in the head
        key={`${part} ${i}`}
        line={linkSpans<Span>([{ text: ` ${i === 0 ? glyph : " "} ${text}`, tone }], [landing])}
      />
    )),
  );
}

function selectedIn(state: DashboardState): TicketState | undefined {
  return state.ui.selected === undefined ? undefined : ticketIn(state, state.ui.selected);
}

function describeTicket(state: DashboardState): {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly url: string | undefined;
} {
  const { run } = state;
  const ticket = selectedIn(state);
  if (ticket === undefined) return { id: "", title: "", about: "", url: undefined };
  const spec = run && plannedTicket(run.plan, ticket.id);
  const about = [
    formatUsd(ticketUsd(ticket)),
    spec?.repo ?? "",
    ...(spec?.dependsOn.length ? [`after ${spec.dependsOn.join(", ")}`] : []),
    ...originParts(ticket),
    ...(spec === undefined ? [] : [contractLabel(spec) ?? []].flat()),
  ];
  return { id: ticket.id, title: displayTitle(state, ticket.id), about: displayText(about.join(" · ")), url: ticketUrl(ticket) };
}
