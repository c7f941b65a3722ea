import { Box } from "ink";
import { memo, type ReactNode } from "react";
import { useDrawn } from "../../kit/dashboard-context.ts";
import { fitTo } from "../../kit/fit.ts";
import type { ViewSize } from "../../kit/geometry.ts";
import { Rule } from "../../kit/rule.tsx";
import { cutSpans, Inner, spansWidth } from "../../kit/spans.tsx";
import { Line, Say } from "../../kit/text.tsx";
import { Time } from "../../kit/time.tsx";
import { hiddenLabel, type Window } from "../../kit/window.ts";
import { type AttemptLine, attemptLine, TIME_WIDTH } from "./attempt-lines.ts";
import { shownAttempt, shownAttempts } from "./ticket-layout.ts";
import { useTarget } from "./use-target.ts";

/** The attempt history, one line for each step of the chosen attempt and two for each other. */
export const AttemptList = memo(function AttemptList({ columns, height }: ViewSize): ReactNode {
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
export const AttemptRows = memo(function AttemptRows({ columns, height }: ViewSize): ReactNode {
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
