import { Box } from "ink";
import { memo, type ReactNode, useMemo } from "react";
import type { RunState } from "../../../src/domain/run/state.ts";
import type { TicketId } from "../../../src/domain/values/ids.ts";
import { provingLabels } from "../../../src/store/labels/progress-label.ts";
import { busyAgents, filteredLists, heldAttempts, type Lists, shownLists } from "../../../src/store/lists.ts";
import { staleLabel } from "../../frame/footer.tsx";
import type { Density, Layout } from "../../frame/layout.ts";
import { useDashboard, useDrawn } from "../../kit/dashboard-context.ts";
import { textWidth } from "../../kit/fit.ts";
import { Rule, Spans } from "../../kit/spans.tsx";
import { hiddenLabel, visibleWindow, type Window } from "../../kit/window.ts";
import { workerColumns } from "./worker-columns.ts";
import { FreeSlot, type OfAllRows, WorkerRow } from "./worker-row.tsx";

const MINUTE = 60_000;

/**
 * All worker slots, each in its fixed position; those that do not fit are counted. A finishing ticket keeps its row until another
 * agent needs it, but its slot is free: the title counts agents and finish lines apart.
 */
export const Workers = memo(function Workers({ layout }: { readonly layout: Layout }): ReactNode {
  useDrawn("workers");
  const slots = useDashboard((s) => shownLists(s).slots);
  const all = useDashboard((s) => s.lists.slots.length);
  const filtered = useDashboard((s) => filteredLists(s) !== undefined);
  const selected = useDashboard((s) => s.ui.selected);
  const { density } = layout;
  const { width, height } = layout.workers;
  const rows = useOfAllRows(width, density);
  const shown = workerWindow(slots, layout, selected);
  const agents = useDashboard((s) => busyAgents(s.run));
  const finishing = useDashboard((s) => s.run?.finishing.length ?? 0);
  const held = useDashboard((s) => heldAttempts(s.run));
  const under = held > 0 ? `${held} held` : finishing > 0 ? `${finishing} finishing` : undefined;
  const also = [...(under === undefined ? [] : [under]), ...(filtered ? [`${slots.length} listed`] : [])];
  const busy = [`${agents} of ${all}${rows?.lost === true ? " when last seen" : ""}`, ...also].join(" · ");
  const room = width - textWidth(`─ WORKERS ${busy} ·  ─`);
  const proving = useDashboard((s) => (s.run === undefined ? "" : provingText(s.run, s.now, room)));
  return (
    <Box flexDirection="column" width={width} height={height} flexShrink={0}>
      <Rule
        title="WORKERS"
        count={all === 0 ? undefined : `${busy}${proving}`}
        note={density === 1 ? "quiet · time" : undefined}
        width={width}
      />
      {rows !== undefined &&
        slots.slice(shown.start, shown.end).map((id, i) => {
          const slot = shown.start + i;
          return id === null ? (
            <FreeSlot key={slot} density={density} />
          ) : (
            <WorkerRow key={slot} id={id} all={rows} selected={id === selected} />
          );
        })}
      {slots.length > shown.end - shown.start && (
        <HiddenSlots words={hiddenLabel(shown)} start={shown.start} end={shown.end} counted={!filtered} />
      )}
    </Box>
  );
});

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
    return {
      plan,
      silenceMs: silenceMinutes * MINUTE,
      batch,
      columns,
      density,
      width,
      lost,
    };
  }, [plan, batch, width, density, lost]);
}

/** The visible worker rows; each takes as many lines as the layout's density. */
export function workerWindow(slots: Lists["slots"], { density, workers }: Layout, selected: TicketId | undefined): Window {
  const focus = selected === undefined ? -1 : slots.indexOf(selected);
  const room = Math.floor((workers.height - 1) / density);
  return visibleWindow(slots.length, slots.length * density <= workers.height - 1 ? slots.length : room, focus);
}

/** Counts the hidden rows: with a working agent, with a finishing ticket, and empty. */
function HiddenSlots({
  start,
  end,
  words,
  counted,
}: {
  readonly words: string;
  readonly start: number;
  readonly end: number;
  /** True if the rows are the slots themselves. */
  readonly counted: boolean;
}): ReactNode {
  const isHidden = (_: unknown, slot: number) => slot < start || slot >= end;
  const word = useDashboard((s) => (heldAttempts(s.run) > 0 ? "held" : "busy"));
  const busy = useDashboard((s) => s.run?.slots.filter((index, slot) => index !== null && isHidden(index, slot)).length ?? 0);
  const rows = useDashboard((s) => s.lists.slots).filter(isHidden);
  const free = rows.filter((id) => id === null).length;
  const finishing = rows.length - busy - free;
  const counts = `: ${busy} ${word}, ${finishing === 0 ? "" : `${finishing} finishing, `}${free} free`;
  return <Spans line={[{ text: `   ${words}${counted ? counts : ""}`, tone: "waiting" }]} />;
}
