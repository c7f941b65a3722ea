import { memo, type ReactNode } from "react";
import { useShallow } from "zustand/react/shallow";
import { brokenBaseLabel } from "../../src/store/labels/base-label.ts";
import { STYLES } from "../../src/store/labels/tone.ts";
import { useDashboard, useDrawn } from "../kit/dashboard-context.ts";
import { fitTo } from "../kit/fit.ts";
import { TimedSpans } from "../kit/spans.tsx";
import { timeSpan } from "../kit/time.tsx";
import { LABEL_WIDTH } from "./header.tsx";

const SINCE_WIDTH = 7;

/** A broken base, under the top lines: repository, suspected commit, what is done, since when, and what fails. */
export const BrokenBaseLine = memo(function BrokenBaseLine({ width }: { readonly width: number }): ReactNode {
  useDrawn("broken-base");
  const label = useDashboard(useShallow((s) => brokenBaseLabel(s.run)));
  if (label === undefined) return null;
  const { repo, suspect, response, since, failure, more } = label;
  const others = more === 0 ? "" : ` +${more} more`;
  const facts = `${repo}${others} · ${suspect} · ${response} · ${failure}`;
  return (
    <TimedSpans
      line={[
        { text: ` ${fitTo(`${STYLES.failed.glyph} BROKEN`, LABEL_WIDTH)} `, tone: "bad", bold: true },
        { text: fitTo(facts, width - 3 - LABEL_WIDTH - SINCE_WIDTH), tone: "bad" },
        timeSpan({ since, format: "age", width: SINCE_WIDTH, tone: "bad" }),
        { text: " " },
      ]}
    />
  );
});
