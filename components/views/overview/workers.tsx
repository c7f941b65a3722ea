import { Box } from "ink";
import { memo, type ReactNode, useMemo } from "react";
import type { RunState } from "../../../src/domain/run/state.ts";
import type { TicketId } from "../../../src/domain/values/ids.ts";
import { provingLabels } from "../../../src/store/labels/progress-label.ts";
import { freeSlotsText } from "../../../src/store/labels/ticket-label.ts";
import { STYLES } from "../../../src/store/labels/tone.ts";
import { busyAgents, filteredLists, heldAttempts, type Lists, shownLists } from "../../../src/store/lists.ts";
import { staleLabel } from "../../frame/footer.tsx";
import type { Density, Layout } from "../../frame/layout.ts";
import { useDashboard, useDrawn } from "../../kit/dashboard-context.ts";
import { cut, textWidth } from "../../kit/fit.ts";
import { Rule, Spans } from "../../kit/spans.tsx";
import { hiddenLabel, rowWindow, type Window } from "../../kit/window.ts";
import { workerColumns } from "./worker-columns.ts";
import { type OfAllRows, WorkerRow } from "./worker-row.tsx";

const MINUTE = 60_000;

/**
 * The attempts, each in a row of its own until it ends, with an agent or on the finish line; those that do not fit are counted.
 * Below them, one line tells how many slots are free, and why nothing starts in them.
 */
export const Workers = memo(function Workers({ layout }: { readonly layout: Layout }): ReactNode {
  useDrawn("workers");
  const listed = useDashboard((s) => shownLists(s).rows);
  const filtered = useDashboard((s) => filteredLists(s) !== undefined);
  const selected = useDashboard((s) => s.ui.selected);
  const { density } = layout;
  const { width, height } = layout.workers;
  const all = useOfAllRows(width, density);
  const shown = workerWindow(listed, layout, selected);
  const free = useDashboard((s) => (s.run === undefined || filtered ? "" : freeSlotsText(s.run, s.lists.waiting)));
  const lines = shown.rows.length * density;
  return (
    <Box flexDirection="column" width={width} height={height} flexShrink={0}>
      <Title width={width} density={density} lost={all?.lost === true} listed={filtered ? listed.length : undefined} />
      {all !== undefined &&
        shown.rows
          .map((id, i) => ({ id, key: `row ${shown.start + i}` }))
          .map(({ id, key }) =>
            id === null ? (
              <Box key={key} height={density} flexShrink={0} />
            ) : (
              <WorkerRow key={key} id={id} all={all} selected={id === selected} />
            ),
          )}
      {shown.above + shown.below > 0 ? (
        <Spans line={[{ text: `   ${hiddenLabel(shown)}`, tone: "waiting" }]} />
      ) : (
        free !== "" &&
        lines < height - 1 && (
          <Spans line={[{ text: cut(` ${STYLES.waits.glyph} ${free}`, width - 1), tone: STYLES.waits.tone }]} />
        )
      )}
    </Box>
  );
});

function Title({
  width,
  density,
  lost,
  listed,
}: {
  readonly width: number;
  readonly density: Density;
  readonly lost: boolean;
  readonly listed: number | undefined;
}): ReactNode {
  const workers = useDashboard((s) => s.run?.slots.length ?? 0);
  const agents = useDashboard((s) => busyAgents(s.run));
  const finishing = useDashboard((s) => s.run?.finishing.length ?? 0);
  const held = useDashboard((s) => heldAttempts(s.run));
  const under = held > 0 ? `${held} held` : finishing > 0 ? `${finishing} finishing` : undefined;
  const also = [...(under === undefined ? [] : [under]), ...(listed === undefined ? [] : [`${listed} listed`])];
  const busy = [`${agents} of ${workers} agents${lost ? " when last seen" : ""}`, ...also].join(" · ");
  const room = width - textWidth(`─ AT WORK ${busy} ·  ─`);
  const proving = useDashboard((s) => (s.run === undefined ? "" : provingText(s.run, s.now, room)));
  return (
    <Rule
      title="AT WORK"
      count={workers === 0 ? undefined : `${busy}${proving}`}
      note={density === 1 ? "quiet · time" : undefined}
      width={width}
    />
  );
}

/** The proof of a base that runs, in as many words as fit `room` columns; empty if there is none, or no room. */
function provingText(run: RunState, now: number, room: number): string {
  const fitting = provingLabels(run, now)?.find((label) => textWidth(label) <= room);
  return fitting === undefined ? "" : ` · ${fitting}`;
}

/** The data that all rows share: the same object until a part of it changes. */
function useOfAllRows(width: number, density: Density): OfAllRows | undefined {
  const plan = useDashboard((s) => s.run?.plan);
  const batch = useDashboard((s) => s.run?.batch);
  const lost = useDashboard((s) => staleLabel(s) !== "");
  return useMemo(() => {
    if (plan === undefined || batch === undefined) return undefined;
    const { silenceMinutes } = batch.limits;
    const columns = workerColumns(plan, Object.keys(batch.repos), width, density);
    return { plan, silenceMs: silenceMinutes * MINUTE, batch, columns, density, width, lost };
  }, [plan, batch, width, density, lost]);
}

/** The visible rows of attempts: each takes as many lines as the layout's density. Where not all fit, rows without an attempt are left out. */
export function workerWindow(
  listed: Lists["rows"],
  { density, workers }: Layout,
  selected: TicketId | undefined,
): Window & { readonly rows: Lists["rows"] } {
  const room = workers.height - 1;
  const rows = listed.length * density <= room ? listed : listed.filter((id) => id !== null);
  const focus = selected === undefined ? -1 : rows.indexOf(selected);
  // If some are hidden, one line counts them.
  const most = rows.length * density <= room ? rows.length : Math.floor((room - 1) / density);
  const { from, to } = rowWindow(rows.length, most, focus);
  return { rows: rows.slice(from, to), start: from, end: to, above: from, below: rows.length - to };
}
