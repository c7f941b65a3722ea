import { memo, type ReactNode } from "react";
import type { Tone } from "../../src/store/labels/tone.ts";
import { cut, widthOf } from "./fit.ts";
import { Spans } from "./spans.tsx";

/**
 * The title line of a block: `─ WORKERS 3 of 4 ─────`. `left` is the first column (a corner of the line between two blocks),
 * `note` stands at the right end, `joint` is a column in which another line ends (┴).
 */
export const Rule = memo(function Rule(options: {
  readonly title: string;
  readonly count?: string | undefined;
  readonly note?: string | undefined;
  readonly tone?: Tone | undefined;
  readonly width: number;
  readonly left?: string;
  readonly joint?: number | undefined;
}): ReactNode {
  const left = options.left ?? "";
  const title = cut(options.title, options.width - widthOf(left) - 4);
  const count = options.count === undefined ? "" : ` ${options.count}`;
  const used = widthOf(left) + 2 + widthOf(title) + widthOf(count) + 1;
  const note = options.note === undefined || options.note === "" ? "" : ` ${options.note} ─`;
  const fits = used + widthOf(note) <= options.width;
  const line = "─".repeat(Math.max(0, options.width - used - (fits ? widthOf(note) : 0)));
  const at = options.joint === undefined ? -1 : options.joint - used;
  const drawn = at >= 0 && at < line.length ? `${line.slice(0, at)}┴${line.slice(at + 1)}` : line;
  return (
    <Spans
      line={[
        { text: `${left}─ `, tone: "waiting" },
        { text: title, tone: options.tone ?? "plain", bold: true },
        { text: `${count} ${drawn}${fits ? note : ""}`, tone: "waiting" },
      ]}
    />
  );
});
