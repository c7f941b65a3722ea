import { memo, type ReactNode } from "react";
import type { VerdictWord } from "../src/domain/event.ts";
import type { OracleState } from "../src/domain/judges-state.ts";
import { displayText } from "../src/store/display-text.ts";
import type { Tone } from "../src/store/tone.ts";
import { useDashboard, useDrawn } from "./dashboard-context.ts";
import { fitParts, fitTo, widthOf } from "./fit.ts";
import { WORD_WIDTH } from "./header.tsx";
import { barOf } from "./oracle-bar.ts";
import { Line, Say } from "./text.tsx";
import { Time } from "./time.tsx";

const VERDICTS: Readonly<Record<VerdictWord, readonly [word: string, tone: Tone]>> = {
  done: ["done", "good"],
  "not-done": ["not done", "plain"],
  unjudged: ["cannot judge", "bad"],
};
const VERDICT_WIDTH = 12;
const AGE_WIDTH = 8;
const LONGEST_BAR = 60;
const NARROW_WORD = 8;

/** The only voice that counts, apart from everything that workers say: its verdict, how old that is, its own counts. */
export const OracleLine = memo(function OracleLine({ width }: { readonly width: number }): ReactNode {
  useDrawn("oracle");
  const oracle = useDashboard((s) => s.run?.oracle);
  // Whoever has lost the engine does not know that anybody is being asked.
  const asking = useDashboard((s) => s.ui.connection.state === "live" && s.run?.oracle.asking === true);
  const claims = useDashboard((s) => s.run?.claims);
  const judged = oracle?.judged ?? 0;
  const right = claims === undefined ? "" : `claims ${claims.made}, upheld ${claims.upheld} · judged ${judged}× `;
  const word = width < 72 ? NARROW_WORD : WORD_WIDTH;
  const room = width - 2 - word - VERDICT_WIDTH - AGE_WIDTH - 2;
  const beside = room - widthOf(right) - 2 >= 60 ? right : "";
  return (
    <Line>
      <Say tone="oracle" bold>{` ${fitTo("◆ ORACLE", word)} `}</Say>
      <Verdict oracle={oracle} asking={asking} room={beside === "" ? room : room - widthOf(beside) - 2} />
      {beside !== "" && <Say tone="waiting">{`  ${beside}`}</Say>}
    </Line>
  );
});

function Verdict({
  oracle,
  asking,
  room,
}: {
  readonly oracle: OracleState | undefined;
  readonly asking: boolean;
  readonly room: number;
}): ReactNode {
  const last = oracle?.last;
  if (last === undefined) {
    const word = asking ? "judging…" : "never judged";
    const bar = "┄".repeat(Math.max(0, Math.min(LONGEST_BAR, room - 12)));
    return (
      <Say tone="waiting">
        {fitTo(`${fitTo(word, VERDICT_WIDTH + AGE_WIDTH)}  ${bar}  unknown`, room + VERDICT_WIDTH + AGE_WIDTH + 2)}
      </Say>
    );
  }
  const [word, tone] = VERDICTS[last.verdict];
  return (
    <>
      <Say tone={tone} bold>
        {fitTo(word, VERDICT_WIDTH)}
      </Say>
      {asking ? (
        <Say tone="oracle">{fitTo("judging…", AGE_WIDTH)}</Say>
      ) : (
        <Time since={last.at} format="age" suffix=" ago" width={AGE_WIDTH} align="left" tone="waiting" />
      )}
      {last.verdict === "unjudged" ? (
        <Say tone="bad">{`  ${fitTo(displayText(last.problem ?? "no reason given"), room)}`}</Say>
      ) : (
        <Counts counts={last.counts} room={room} />
      )}
    </>
  );
}

function Counts(of: {
  readonly counts: { readonly done: number; readonly gated: number; readonly open: number };
  readonly room: number;
}): ReactNode {
  const { done, gated, open } = of.counts;
  const { words } = fitParts(
    {
      words: [
        `${done} done · ${gated} gated · ${open} open`,
        `${done} done ${gated} gated ${open} open`,
        `${done} done ${open} open`,
      ],
    },
    ["words", "words"],
    of.room,
  );
  const width = Math.min(LONGEST_BAR, of.room - widthOf(words) - 2);
  const bar = barOf(of.counts, width >= 6 ? width : 0);
  const used = widthOf(words) + (width >= 6 ? width + 2 : 0);
  return (
    <>
      <Say>{"  "}</Say>
      <Say tone="good">{"■".repeat(bar.done)}</Say>
      <Say tone="person">{"▣".repeat(bar.gated)}</Say>
      <Say tone="waiting">{"□".repeat(bar.open)}</Say>
      <Say bold>{`${width >= 6 ? "  " : ""}${words}`}</Say>
      <Say>{" ".repeat(Math.max(0, of.room - used))}</Say>
    </>
  );
}
