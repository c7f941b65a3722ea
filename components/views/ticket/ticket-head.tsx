import { memo, type ReactNode } from "react";
import { useShallow } from "zustand/react/shallow";
import type { TicketState } from "../../../src/domain/run/ticket-state.ts";
import { specOf } from "../../../src/domain/schedule/plan.ts";
import { type DashboardState, ticketIn } from "../../../src/store/dashboard-state.ts";
import { displayText } from "../../../src/store/display-text.ts";
import { formatUsd } from "../../../src/store/format.ts";
import { type QueueLabel, queueLabel, titleOf } from "../../../src/store/labels/ticket-label.ts";
import { finishOf, stageOf } from "../../../src/store/labels/ticket-stage.ts";
import { landingLink, ticketUrl } from "../../../src/store/links.ts";
import { useDashboard, useDrawn } from "../../kit/dashboard-context.ts";
import { cut, fitTo, widthOf } from "../../kit/fit.ts";
import { cutSpans, linkOf, linkSpans, type Span, Spans } from "../../kit/spans.tsx";
import { Line } from "../../kit/text.tsx";
import { trackLine } from "./attempt-lines.ts";
import { useTarget } from "./use-target.ts";

/** The ticket, its state, and the progress of the chosen attempt on its finish line. */
export const TicketHead = memo(function TicketHead({ width }: { readonly width: number }): ReactNode {
  useDrawn("ticket head");
  const { id, title, about, url } = useDashboard(useShallow(whichOf));
  const { glyph, tone, text } = useDashboard(useShallow(standingOf));
  const landing = useDashboard(useShallow((s) => landingLink(s.run, selectedIn(s))));
  const target = useTarget();
  const room = width - widthOf(id) - 3;
  const meta = cut(about, Math.max(0, room - 20));
  return (
    <>
      <Spans
        line={linkSpans<Span>(
          [
            { text: ` ${id} ${fitTo(title, room - widthOf(meta))}`, bold: true },
            { text: ` ${meta}`, tone: "waiting" },
          ],
          [linkOf(id, width, url)],
        )}
      />
      <Spans line={linkSpans<Span>([{ text: ` ${glyph} ${cut(text, width - 4)}`, tone }], [landing])} />
      {target === undefined ? <Line> </Line> : <Spans line={cutSpans(trackLine(target.attempt, target.entry, width), width)} />}
    </>
  );
});

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
    ...(ticket.foundBy === undefined ? [] : [`found by ${ticket.foundBy}`]),
  ];
  return { id: ticket.id, title: titleOf(state, ticket.id), about: displayText(about.join(" · ")), url: ticketUrl(ticket) };
}

/** The state of the ticket: the current step of its attempt, the reason why it waits, its remaining step, or that it is done. */
function standingOf(state: DashboardState): QueueLabel {
  const ticket = selectedIn(state);
  if (ticket === undefined) return { glyph: " ", tone: "plain", text: "" };
  if (ticket.attempt === undefined) {
    const word = queueLabel(state, ticket.id);
    return { ...word, text: `${ticket.phase}: ${word.text}` };
  }
  const { glyph, tone, word } = stageOf(ticket.attempt, finishOf(state.run, ticket.id));
  const waits = ticket.attempt.waiting;
  return {
    glyph,
    tone,
    text: `attempt ${ticket.attempt.n} is at: ${word}${waits === undefined ? "" : `: ${displayText(waits)}`}`,
  };
}
