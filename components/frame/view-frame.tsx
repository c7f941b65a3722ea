import { Box } from "ink";
import type { ReactNode } from "react";
import { useShallow } from "zustand/react/shallow";
import { STYLES } from "../../src/store/labels/tone.ts";
import { useDashboard } from "../kit/dashboard-context.ts";
import { Line, Say } from "../kit/spans.tsx";
import { viewKeys, viewTabs } from "./view-tabs.ts";

/** Lines of a view's frame beside its content. */
export const FRAME_LINES = 1;

/** A view other than the overview: a line with its name, and the view under it on all other lines. */
export function ViewFrame(options: {
  readonly columns: number;
  readonly height: number;
  readonly children: ReactNode;
}): ReactNode {
  const { columns, height } = options;
  return (
    <Box flexDirection="column" width={columns} height={height} flexShrink={0} overflow="hidden">
      <ViewTabs width={columns} />
      {options.children}
    </Box>
  );
}

/** All views by name; if the line is too short, some by their keys alone. */
function ViewTabs({ width }: { readonly width: number }): ReactNode {
  const { left, own, right, rest } = viewTabs(
    useDashboard((s) => s.ui.view),
    width,
    useDashboard(useShallow(viewKeys)),
  );
  return (
    <Line>
      <Say tone="waiting">{`─${left}`}</Say>
      <Say tone="running" bold>
        {own}
      </Say>
      <Say tone="waiting">{`${right}${"─".repeat(rest)}`}</Say>
    </Line>
  );
}

/** Shown in place of a view while no run is known. */
export function NoRun(): ReactNode {
  return (
    <Line>
      <Say tone="waiting">{` ${STYLES.preparing.glyph} connecting: nothing is known of the run yet`}</Say>
    </Line>
  );
}
