import { Box } from "ink";
import { memo, type ReactNode } from "react";
import type { Ticket } from "../src/domain/batch/schema.ts";
import type { StepSpec } from "../src/domain/batch/step-spec.ts";
import type { TicketId } from "../src/domain/ids.ts";
import type { Attempt, TicketState } from "../src/domain/state.ts";
import { ticketIn } from "../src/store/dashboard-store.ts";
import { displayText } from "../src/store/display-text.ts";
import { reviewerWord } from "../src/store/second-model-word.ts";
import { stageOf } from "../src/store/stage-look.ts";
import { specWord } from "../src/store/step-word.ts";
import { useDashboard, useDrawn } from "./dashboard-context.ts";
import { cut, fitTo, widthOf } from "./fit.ts";
import type { Density } from "./layout.ts";
import { Line, Say } from "./text.tsx";
import { Time } from "./time.tsx";
import type { WorkerColumns } from "./worker-columns.ts";
import { lastFailure, MARKS, type Saying, sayingOf, sayingText, trackOf } from "./worker-look.ts";

const MINUTE = 60_000;

interface RowOf {
  readonly ticket: TicketState;
  readonly spec: Ticket;
  readonly attempt: Attempt;
  readonly columns: WorkerColumns;
  readonly width: number;
  readonly selected: boolean;
  readonly reviewer: string;
  readonly silenceMs: number;
  readonly limitMs: number;
}

/** One worker: what it works on, how far it is, what it says, how long it has been quiet. Drawn anew only for its own ticket. */
export const WorkerRow = memo(function WorkerRow(of: {
  readonly id: TicketId;
  readonly columns: WorkerColumns;
  readonly density: Density;
  readonly width: number;
  readonly selected: boolean;
}): ReactNode {
  useDrawn(`worker ${of.id}`);
  const ticket = useDashboard((s) => ticketIn(s, of.id));
  const plan = useDashboard((s) => s.run?.plan);
  const limits = useDashboard((s) => s.run?.batch.limits);
  const reviewer = useDashboard((s) => reviewerWord(s.run));
  const spec = plan?.tickets[plan.index[of.id] ?? -1];
  if (ticket?.attempt === undefined || spec === undefined || limits === undefined) return <FreeSlot density={of.density} />;
  const row: RowOf = {
    ticket,
    spec,
    attempt: ticket.attempt,
    columns: of.columns,
    width: of.width,
    selected: of.selected,
    reviewer,
    silenceMs: limits.silenceMinutes * MINUTE,
    limitMs: limits.minutesPerAttempt * MINUTE,
  };
  return (
    <Box flexDirection="column" height={of.density} flexShrink={0}>
      <FirstLine {...row} oneLine={of.density === 1} />
      {of.density > 1 && <SecondLine {...row} />}
      {of.density > 2 && <ThirdLine {...row} />}
    </Box>
  );
});

/** A slot that nobody works in. It keeps its place. */
export const FreeSlot = memo(function FreeSlot({ density }: { readonly density: Density }): ReactNode {
  return (
    <Box height={density} flexShrink={0}>
      <Line>
        <Say tone="waiting">{" · slot free"}</Say>
      </Line>
    </Box>
  );
});

function Mark({ selected }: { readonly selected: boolean }): ReactNode {
  return <Say tone="running">{selected ? "▌" : " "}</Say>;
}

/** What is said of a try, in exactly `width` columns and a space; where it counts down, only this is drawn anew. */
function Said({ saying, width }: { readonly saying: Saying; readonly width: number }): ReactNode {
  const text = useDashboard((s) => sayingText(saying, width, s.now));
  return <Say tone={saying.tone}>{`${fitTo(text, width)} `}</Say>;
}

function FirstLine(of: RowOf & { readonly oneLine: boolean }): ReactNode {
  const { columns: c, attempt } = of;
  const { finish } = of.spec;
  const stage = stageOf(attempt, finish);
  const saying = sayingOf(attempt, { finish, reviewer: of.reviewer });
  return (
    <Line>
      <Mark selected={of.selected} />
      <Say tone={stage.tone}>{`${stage.glyph} `}</Say>
      <Say bold inverse={of.selected}>
        {fitTo(of.ticket.id, c.id)}
      </Say>
      <Say bold={of.selected}>{` ${fitTo(displayText(of.spec.title), c.title)} `}</Say>
      {c.saying > 0 && <Said saying={saying} width={c.saying} />}
      {c.repo > 0 && <Say tone="waiting">{`${fitTo(of.spec.repo, c.repo)} `}</Say>}
      <Say tone={attempt.n > 1 ? "plain" : "waiting"}>{`${fitTo(`try ${attempt.n}`, c.attempt)} `}</Say>
      {c.track > 0 && <Track attempt={attempt} finish={finish} width={c.track} />}
      <Say tone={stage.tone}>{`${fitTo(stage.word, c.stage)} `}</Say>
      {of.oneLine && <Quiet {...of} width={c.quiet} prefix="" />}
      <Time since={attempt.startedAt} format="elapsed" width={c.elapsed} />
    </Line>
  );
}

function Track(of: { readonly attempt: Attempt; readonly finish: readonly StepSpec[]; readonly width: number }): ReactNode {
  const marks = trackOf(of.attempt, of.finish);
  return (
    <>
      {marks.map((mark, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a step is its place on the finish line
        <Say key={i} tone={MARKS[mark].tone}>
          {MARKS[mark].glyph}
        </Say>
      ))}
      <Say>{" ".repeat(Math.max(0, of.width - marks.length) + 1)}</Say>
    </>
  );
}

const QUIET_WIDTH = 10;
const LEFT_WIDTH = 10;

function SecondLine(of: RowOf): ReactNode {
  const { attempt, columns, width } = of;
  const saying = sayingOf(attempt, { finish: of.spec.finish, reviewer: of.reviewer });
  const agentRuns = attempt.agent !== undefined && attempt.agent.endedAt === undefined;
  const left = agentRuns && width >= 66 ? LEFT_WIDTH : 0;
  const indent = columns.id + 4;
  const room = width - indent - QUIET_WIDTH - left - 2;
  return (
    <Line>
      <Mark selected={of.selected} />
      <Say>{" ".repeat(indent - 1)}</Say>
      <Said saying={saying} width={room} />
      {left > 0 && attempt.agent !== undefined && (
        <Time since={attempt.agent.launchedAt + of.limitMs} until format="age" suffix=" left" width={left} tone="waiting" />
      )}
      <Quiet {...of} width={QUIET_WIDTH} prefix="quiet " />
    </Line>
  );
}

/** Silence while the agent runs; once it has stopped, the time of the step. */
function Quiet(of: RowOf & { readonly prefix: string }): ReactNode {
  const { attempt, silenceMs, width } = of;
  if (attempt.step !== undefined) {
    const prefix = of.prefix === "" ? "" : "step ";
    return <Time since={attempt.step.startedAt} format="age" width={width} prefix={prefix} tone="waiting" />;
  }
  if (attempt.agent === undefined || attempt.agent.endedAt !== undefined) return <Say>{" ".repeat(width)}</Say>;
  return (
    <Time
      since={attempt.lastOutputAt ?? attempt.agent.launchedAt}
      format="age"
      width={width}
      prefix={of.prefix}
      tone="waiting"
      warn={[silenceMs / 2, silenceMs * 0.8]}
    />
  );
}

/** The finish line in words, and why the try before failed. */
function ThirdLine(of: RowOf): ReactNode {
  const marks = trackOf(of.attempt, of.spec.finish);
  const words = of.spec.finish.map((step, i) => ({ mark: MARKS[marks[i] ?? "ahead"], word: specWord(step) }));
  const indent = of.columns.id + 4;
  const line = words.map(({ mark, word }) => `${mark.glyph} ${word}`).join("  ");
  const failure = lastFailure(of.ticket);
  const room = of.width - indent - 1 - Math.min(widthOf(line), of.width - indent - 1) - 3;
  return (
    <Line>
      <Mark selected={of.selected} />
      <Say>{" ".repeat(indent - 1)}</Say>
      {widthOf(line) > of.width - indent - 1 ? (
        <Say tone="waiting">{cut(line, of.width - indent - 1)}</Say>
      ) : (
        words.map(({ mark, word }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a step is its place on the finish line
          <Say key={i} tone={mark.tone}>
            {`${mark.glyph} ${word}${i < words.length - 1 ? "  " : ""}`}
          </Say>
        ))
      )}
      {failure !== undefined && room >= 12 && <Say tone="bad">{`   ${cut(`↻ ${failure}`, room)}`}</Say>}
    </Line>
  );
}
