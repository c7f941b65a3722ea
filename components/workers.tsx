import { Box } from "ink";
import { memo, type ReactNode, useMemo } from "react";
import { busyAgents } from "../src/store/lists.ts";
import { useDashboard, useDrawn } from "./dashboard-context.ts";
import type { Layout } from "./layout.ts";
import { Rule } from "./rule.tsx";
import { Line, Say } from "./text.tsx";
import { hiddenWords, windowOf } from "./window.ts";
import { workerColumns } from "./worker-columns.ts";
import { FreeSlot, WorkerRow } from "./worker-row.tsx";

/**
 * All worker slots, each in its fixed place; those that do not fit are counted. A ticket that is being finished keeps its
 * place until another agent needs it, but its slot is free: the title counts agents and finish lines apart.
 */
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
  const agents = useDashboard((s) => busyAgents(s.run));
  const finishing = useDashboard((s) => s.run?.finishing.length ?? 0);
  return (
    <Box flexDirection="column" width={width} height={height} flexShrink={0}>
      <Rule
        title="WORKERS"
        count={
          slots.length === 0 ? undefined : `${agents} of ${slots.length}${finishing === 0 ? "" : ` · ${finishing} finishing`}`
        }
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
      {slots.length > shown.end - shown.start && <HiddenSlots words={hiddenWords(shown)} start={shown.start} end={shown.end} />}
    </Box>
  );
});

/** Counts the rows that are not shown: with an agent at work, with a ticket that is being finished, and with nobody. */
function HiddenSlots(of: { readonly words: string; readonly start: number; readonly end: number }): ReactNode {
  const isHidden = (_: unknown, slot: number) => slot < of.start || slot >= of.end;
  const busy = useDashboard((s) => s.run?.slots.filter((index, slot) => index !== null && isHidden(index, slot)).length ?? 0);
  const rows = useDashboard((s) => s.lists.slots).filter(isHidden);
  const free = rows.filter((id) => id === null).length;
  const finishing = rows.length - busy - free;
  return (
    <Line>
      <Say tone="waiting">{`   ${of.words}: ${busy} busy, ${finishing === 0 ? "" : `${finishing} finishing, `}${free} free`}</Say>
    </Line>
  );
}
