import { Box } from "ink";
import { memo, type ReactNode, useMemo } from "react";
import type { DashboardState } from "../../../src/store/dashboard-state.ts";
import { formatClock } from "../../../src/store/format.ts";
import { compare, isOf } from "../../../src/store/oracle-comparison.ts";
import { useDrawn, useStateOf } from "../../kit/dashboard-context.ts";
import { Rule } from "../../kit/rule.tsx";
import { cutSpans, type SpanLine, Spans } from "../../kit/spans.tsx";
import { panelLines } from "./evidence-lines.ts";

/** The oracle's evidence on each ticket, and the heals: in the overview of a large terminal, under the queue. */
export const OraclePanel = memo(function OraclePanel(options: { readonly width: number; readonly height: number }): ReactNode {
  useDrawn("oracle panel");
  const { width, height } = options;
  const { run, evidence } = useStateOf(panelParts);
  const last = run?.oracle.last;
  const lines = useMemo(
    (): readonly SpanLine[] => (run === undefined ? [] : panelLines(compare(run, evidence), run, width - 2)),
    [run, evidence, width],
  );
  const from = last === undefined ? "has said nothing yet" : `said at ${formatClock(saidAt(last, evidence))}`;
  const room = height - 1;
  const empty: readonly SpanLine[] = Array.from({ length: Math.max(0, room - lines.length) }, () => []);
  return (
    <Box flexDirection="column" width={width} height={height} flexShrink={0}>
      <Rule title="ORACLE" count={from} tone="oracle" width={width} left="├" />
      {[...lines.slice(0, room), ...empty].map((line, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place in the panel
        <Spans key={i} line={[{ text: "│", tone: "waiting" }, ...cutSpans(line, width - 1)]} />
      ))}
    </Box>
  );
});

/** The parts of the state that the panel depends on. Agent output is not among them. */
function panelParts({ run, lists, evidence }: DashboardState): readonly unknown[] {
  return [run?.oracle.last, run?.heals, lists, evidence];
}

/** The time of the evidence: kept evidence belongs to its own judgement. */
function saidAt(last: NonNullable<Parameters<typeof isOf>[1]>, evidence: Parameters<typeof isOf>[0] | undefined): number {
  return evidence !== undefined && isOf(evidence, last) ? evidence.judgedAt : last.at;
}
