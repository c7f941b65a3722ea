import { Box } from "ink";
import { memo, type ReactNode, useMemo } from "react";
import type { TicketId } from "../src/domain/ids.ts";
import { useDashboard, useDrawn } from "./dashboard-context.ts";
import type { Layout } from "./layout.ts";
import { Rule } from "./rule.tsx";
import { Line, Say } from "./text.tsx";
import { hiddenWords, windowOf } from "./window.ts";
import { workerColumns } from "./worker-columns.ts";
import { FreeSlot, WorkerRow } from "./worker-row.tsx";

/** All worker slots, each in its fixed place; those that do not fit are counted. */
export const Workers = memo(function Workers({ layout }: { readonly layout: Layout }): ReactNode {
  useDrawn("workers");
  const slots = useDashboard((s) => s.lists.slots);
  const selected = useDashboard((s) => s.ui.selected);
  const plan = useDashboard((s) => s.run?.plan);
  const batch = useDashboard((s) => s.run?.batch);
  const { density } = layout;
  const { width, height } = layout.workers;
  const columns = useMemo(
    () => (plan === undefined || batch === undefined ? undefined : workerColumns(plan, Object.keys(batch.repos), width, density)),
    [plan, batch, width, density],
  );
  const focus = selected === undefined ? -1 : slots.indexOf(selected);
  const room = Math.floor((height - 1) / density);
  const shown = windowOf(slots.length, slots.length * density <= height - 1 ? slots.length : room, focus);
  const busy = slots.filter((id) => id !== null).length;
  return (
    <Box flexDirection="column" width={width} height={height} flexShrink={0}>
      <Rule
        title="WORKERS"
        count={slots.length === 0 ? undefined : `${busy} of ${slots.length}`}
        note={density === 1 ? "quiet · time" : undefined}
        width={width}
      />
      {columns !== undefined &&
        slots.slice(shown.start, shown.end).map((id, i) => {
          const slot = shown.start + i;
          return id === null ? (
            <FreeSlot key={slot} density={density} />
          ) : (
            <WorkerRow key={slot} id={id} columns={columns} density={density} width={width} selected={id === selected} />
          );
        })}
      {slots.length > shown.end - shown.start && (
        <HiddenSlots words={hiddenWords(shown)} hidden={hiddenOf(slots, shown.start, shown.end)} />
      )}
    </Box>
  );
});

function hiddenOf(slots: readonly (TicketId | null)[], start: number, end: number): readonly (TicketId | null)[] {
  return [...slots.slice(0, start), ...slots.slice(end)];
}

function HiddenSlots({ words, hidden }: { readonly words: string; readonly hidden: readonly (TicketId | null)[] }): ReactNode {
  const busy = hidden.filter((id) => id !== null).length;
  return (
    <Line>
      <Say tone="waiting">{`   ${words}: ${busy} busy, ${hidden.length - busy} free`}</Say>
    </Line>
  );
}
