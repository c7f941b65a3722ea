import { memo, type ReactNode } from "react";
import type { DashboardState } from "../src/store/dashboard-store.ts";
import { KEYMAP, modeOf } from "../src/store/keymap.ts";
import type { Tone } from "../src/store/tone.ts";
import { useDashboard, useDrawn } from "./dashboard-context.ts";
import { cut, widthOf } from "./fit.ts";
import { Line, Say } from "./text.tsx";

/** One key and what it does here, as one string that a selector can return: `x kill`. */
const SEPARATOR = "\n";

/** The keys that work here now, those that fit, in the order of the keymap. */
export function footerKeys(state: DashboardState, width: number): readonly string[] {
  const shown = KEYMAP[modeOf(state)].flatMap((b) =>
    b.short === undefined ? [] : [{ keep: b.keep ?? 0, text: `${b.show} ${b.short(state)}` }],
  );
  const byWorth = shown.toSorted((a, b) => a.keep - b.keep);
  let used = 1;
  const fitting = new Set(
    byWorth.filter(({ text }) => {
      used += widthOf(text) + 2;
      return used - 1 <= width;
    }),
  );
  return shown.filter((key) => fitting.has(key)).map(({ text }) => text);
}

/** The last line: a message for a while, else the keys that work here now. */
export const Footer = memo(function Footer({ width }: { readonly width: number }): ReactNode {
  useDrawn("footer");
  const toast = useDashboard((s) => s.ui.toast);
  const lost = useDashboard((s) =>
    s.ui.connection.state === "lost" && s.run?.end === undefined ? s.ui.connection.reason : undefined,
  );
  const keys = useDashboard((s) => footerKeys(s, width).join(SEPARATOR));
  const modal = useDashboard((s) => s.ui.modal !== undefined);
  if (toast !== undefined && !modal) return <Message text={toast.text} tone={toast.tone} width={width} />;
  if (lost !== undefined && !modal) return <Message text={`connection lost: ${lost} · q leave`} tone="bad" width={width} />;
  return (
    <Line>
      {keys.split(SEPARATOR).map((key) => {
        const at = key.indexOf(" ");
        return (
          <Say key={key}>
            <Say tone="running" bold>{` ${key.slice(0, at)}`}</Say>
            <Say tone="waiting">{`${key.slice(at)} `}</Say>
          </Say>
        );
      })}
    </Line>
  );
});

function Message({ text, tone, width }: { readonly text: string; readonly tone: Tone; readonly width: number }): ReactNode {
  return (
    <Line>
      <Say tone={tone} bold>
        {cut(` ${text}`, width)}
      </Say>
    </Line>
  );
}
