import { Box } from "ink";
import { memo, type ReactNode, useMemo } from "react";
import { filteredLists } from "../../../src/store/lists.ts";
import { idWidth, type Layout } from "../../frame/layout.ts";
import { useDashboard, useDrawn } from "../../kit/dashboard-context.ts";
import { Rule } from "../../kit/rule.tsx";
import { type SpanLine, Spans } from "../../kit/spans.tsx";
import { QueueRow } from "./queue-row.tsx";
import { type QueueLine, queueLines } from "./sections.ts";

/** Every ticket without a row among the workers: its current step on the finish line, or the reason why it waits. */
export const Queue = memo(function Queue({ layout }: { readonly layout: Layout }): ReactNode {
  useDrawn("queue");
  const whole = useDashboard((s) => s.lists);
  const filtered = useDashboard(filteredLists);
  const text = useDashboard((s) => s.ui.filter);
  const selected = useDashboard((s) => s.ui.selected);
  const plan = useDashboard((s) => s.run?.plan);
  const { width, height } = layout.queue;
  const lines = useMemo(() => {
    const filter = filtered && { text, shown: filtered.shown, all: filtered.all, whole };
    return queueLines(filtered?.lists ?? whole, { width, height }, selected, filter);
  }, [whole, filtered, text, width, height, selected]);
  const ids = plan === undefined ? 4 : idWidth(plan);
  const empty = Array.from({ length: Math.max(0, height - lines.length) }, (_, i) => `empty ${i}`);
  return (
    <Box flexDirection="column" width={width} height={height} flexShrink={0}>
      {lines.map((line, i) => drawn(line, i, { width, ids, wide: layout.wide, selected }))}
      {layout.wide && empty.map((key) => <Spans key={key} line={DIVIDER} />)}
    </Box>
  );
});

interface Of {
  readonly width: number;
  readonly ids: number;
  readonly wide: boolean;
  readonly selected: string | undefined;
}

function drawn(line: QueueLine, i: number, options: Of): ReactNode {
  const left = options.wide ? "│" : "";
  switch (line.line) {
    case "title": {
      const corner = i === 0 ? "┬" : "├";
      return (
        <Rule
          key={line.title}
          title={line.title}
          count={line.count}
          tone={line.tone}
          width={options.width}
          left={options.wide ? corner : ""}
        />
      );
    }
    case "ticket":
      return (
        <QueueRow
          key={line.id}
          id={line.id}
          section={line.section}
          idWidth={options.ids}
          width={options.width}
          selected={line.id === options.selected}
          left={left}
        />
      );
    case "hidden":
      return <Spans key={`hidden ${line.section}`} line={[{ text: `${left}   ${line.words}`, tone: "waiting" }]} />;
  }
}

const DIVIDER: SpanLine = [{ text: "│", tone: "waiting" }];
