import { memo, type ReactNode } from "react";
import { useShallow } from "zustand/react/shallow";
import type { TicketState } from "../../../src/domain/run/ticket-state.ts";
import { specOf } from "../../../src/domain/schedule/plan.ts";
import { type DashboardState, ticketIn } from "../../../src/store/dashboard-state.ts";
import { displayText } from "../../../src/store/display-text.ts";
import { formatUsd } from "../../../src/store/format.ts";
import { contractLabel } from "../../../src/store/labels/contract-label.ts";
import { originParts, titleOf } from "../../../src/store/labels/ticket-label.ts";
import { landingLink, serviceLink, ticketUrl } from "../../../src/store/links.ts";
import { useDashboard, useDrawn } from "../../kit/dashboard-context.ts";
import { cut, fitTo, widthOf } from "../../kit/fit.ts";
import type { ViewSize } from "../../kit/geometry.ts";
import { cutSpans, linkOf, linkSpans, type Span, Spans } from "../../kit/spans.tsx";
import { Line } from "../../kit/text.tsx";
import { trackLine } from "./attempt-lines.ts";
import { type HeadPart, headParts } from "./head-lines.ts";
import { useTarget } from "./use-target.ts";

/** A long title keeps this share of its line, and its cost and dependencies take the rest. */
const TITLE_SHARE = 0.7;

/** The ticket, its state, and the progress of the chosen attempt on its finish line. `height`: lines of the view without its frame. */
export const TicketHead = memo(function TicketHead({ columns: width, height }: ViewSize): ReactNode {
  useDrawn("ticket head");
  const { id, title, about, url } = useDashboard(useShallow(whichOf));
  const service = useDashboard(useShallow((s) => serviceLink(selectedIn(s))));
  const target = useTarget();
  const room = width - widthOf(id) - 3;
  const meta = cut(about, Math.max(0, room - Math.max(20, Math.min(widthOf(title), Math.floor(room * TITLE_SHARE)))));
  return (
    <>
      <Spans
        line={linkSpans<Span>(
          [
            { text: ` ${id} ${fitTo(title, room - widthOf(meta))}`, bold: true },
            { text: ` ${meta}`, tone: "waiting" },
          ],
          [linkOf(id, width, url), service],
        )}
      />
      <HeadParts columns={width} height={height} />
      {target === undefined ? <Line> </Line> : <Spans line={cutSpans(trackLine(target.attempt, target.entry, width), width)} />}
    </>
  );
});

/** Draws the sentences of the head on the ticket and on the run. */
export function HeadParts({ columns, height }: ViewSize): ReactNode {
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

function whichOf(state: DashboardState): {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly url: string | undefined;
} {
  const { run } = state;
  const ticket = selectedIn(state);
  if (ticket === undefined) return { id: "", title: "", about: "", url: undefined };
  const spec = run && specOf(run.plan, ticket.id);
  const about = [
    formatUsd(ticket.costUsd),
    spec?.repo ?? "",
    ...(spec?.dependsOn.length ? [`after ${spec.dependsOn.join(", ")}`] : []),
    ...originParts(ticket),
    ...(spec === undefined ? [] : [contractLabel(spec) ?? []].flat()),
  ];
  return { id: ticket.id, title: titleOf(state, ticket.id), about: displayText(about.join(" · ")), url: ticketUrl(ticket) };
}
