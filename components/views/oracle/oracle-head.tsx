import type { ReactNode } from "react";
import type { TripwireState } from "../../../src/domain/run/verdict-state.ts";
import { plural } from "../../../src/domain/values/plural.ts";
import { displayText } from "../../../src/store/display-text.ts";
import { formatElapsed } from "../../../src/store/format.ts";
import { EVIDENCE_LABELS, VERDICT_LABELS } from "../../../src/store/labels/oracle-label.ts";
import { type Label, STYLES } from "../../../src/store/labels/tone.ts";
import { useDashboard } from "../../kit/dashboard-context.ts";
import { cut } from "../../kit/fit.ts";
import { Spans } from "../../kit/spans.tsx";
import { Line, Say } from "../../kit/text.tsx";
import { Time } from "../../kit/time.tsx";

/** Lines that the head takes. */
export const ORACLE_HEAD_LINES = 3;

const AGE_WIDTH = 9;

/** The oracle's last verdict and its age; its own counts, or the reason why it could not judge; and its proof. */
export function OracleHead({ width }: { readonly width: number }): ReactNode {
  return (
    <>
      <Verdict width={width} />
      <Counts width={width} />
      <Tripwire width={width} />
    </>
  );
}

function Verdict({ width }: { readonly width: number }): ReactNode {
  const oracle = useDashboard((s) => s.run?.oracle);
  const live = useDashboard((s) => s.ui.connection.state === "live" && s.run?.end === undefined);
  const last = oracle?.last;
  const asking = live && oracle?.asking === true;
  if (oracle === undefined || last === undefined)
    return (
      <Spans
        line={[
          {
            text: ` ${STYLES.oracle.glyph} ${asking ? "judging for the first time…" : "never judged: its word is unknown"}`,
            tone: "oracle",
          },
        ]}
      />
    );
  const { glyph, word, tone } = VERDICT_LABELS[last.verdict];
  const rest = [
    last.final ? "final: asked to end the run" : "not final: asked on the way",
    `judged ${oracle.judged}×`,
    `took ${last.durationMs} ms`,
    ...(asking ? ["judging again now…"] : []),
  ].join(" · ");
  return (
    <Line>
      <Say tone="oracle" bold>
        {` ${STYLES.oracle.glyph} `}
      </Say>
      <Say tone={tone} bold>{`${glyph} ${word.toUpperCase()}`}</Say>
      <Time since={last.at} format="age" prefix="  " suffix=" ago" width={AGE_WIDTH + 1} align="left" />
      <Say tone="waiting">{cut(` · ${rest}`, width - word.length - 5 - AGE_WIDTH - 1)}</Say>
    </Line>
  );
}

function Counts({ width }: { readonly width: number }): ReactNode {
  const last = useDashboard((s) => s.run?.oracle.last);
  const total = useDashboard((s) => s.run?.plan.tickets.length ?? 0);
  if (last === undefined)
    return <Spans line={[{ text: cut(`   counts: unknown, of ${plural(total, "ticket")}`, width), tone: "waiting" }]} />;
  if (last.verdict === "unjudged") {
    const why = displayText(last.problem ?? "no reason given");
    return <Spans line={[{ text: cut(`   why: ${why}`, width), tone: "bad" }]} />;
  }
  const { done, gated, open } = last.counts;
  const sum = done + gated + open;
  const grown = total > sum ? ` · ${plural(total - sum, "ticket")} found since` : "";
  return (
    <Spans
      line={[
        { text: "   its own count: ", tone: "waiting" },
        { text: `${EVIDENCE_LABELS.done.glyph} ${done} done`, tone: EVIDENCE_LABELS.done.tone, bold: true },
        { text: " · ", tone: "waiting" },
        { text: `${EVIDENCE_LABELS["human-gated"].glyph} ${gated} gated`, tone: EVIDENCE_LABELS["human-gated"].tone, bold: true },
        { text: " · ", tone: "waiting" },
        { text: `${EVIDENCE_LABELS.open.glyph} ${open} open`, bold: true },
        { text: cut(`  of ${sum}${grown}`, Math.max(0, width - 50)), tone: "waiting" },
      ]}
    />
  );
}

/** The state of the oracle's proof, in words. */
function tripwireLabel({ status, canaries, ms, problem }: TripwireState): Label {
  switch (status) {
    case "due":
      return { ...STYLES.preparing, word: "not proven yet: no verdict counts before it is" };
    case "running":
      return { ...STYLES.preparing, tone: "running", word: "being proven on canaries: no verdict counts before it is" };
    case "passed":
      return { ...STYLES.done, word: `passed: ${plural(canaries, "canary", "canaries")} judged right in ${tookText(ms)}` };
    case "fired":
      return { ...STYLES.failed, word: `FIRED: ${displayText(problem ?? "no reason given")}` };
  }
}

function tookText(ms: number): string {
  return ms < 10_000 ? `${ms} ms` : formatElapsed(ms);
}

function Tripwire({ width }: { readonly width: number }): ReactNode {
  const tripwire = useDashboard((s) => s.run?.tripwire);
  if (tripwire === undefined) return null;
  const { glyph, tone, word } = tripwireLabel(tripwire);
  return (
    <Spans
      line={[
        { text: "   tripwire: ", tone: "waiting" },
        { text: cut(`${glyph} ${word}`, width - 14), tone, bold: tripwire.status === "fired" },
      ]}
    />
  );
}
