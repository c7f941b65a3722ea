import { Box } from "ink";
import { memo, type ReactNode } from "react";
import { VIEW_TITLES } from "../../src/store/views/view-name.ts";
import { Modals } from "../dialogs/modals.tsx";
import { useDashboard, useDrawn } from "../kit/dashboard-context.ts";
import { Line, Say } from "../kit/spans.tsx";
import { CurrentView } from "../views/current-view.tsx";
import { spokenLines } from "./lines.ts";

/** Lines that stay free: the screen reader's own, and the one below the text. */
const FREE_LINES = 2;

/** The dashboard for a screen reader: lines to be read from the top, written again only if their words change. */
export const ScreenReader = memo(function ScreenReader({
  columns,
  rows,
}: {
  readonly columns: number;
  readonly rows: number;
}): ReactNode {
  const toast = useDashboard((s) => s.ui.toast?.text);
  const modal = useDashboard((s) => s.ui.modal?.kind);
  const view = useDashboard((s) => s.ui.view);
  const height = Math.max(1, rows - FREE_LINES - (toast === undefined ? 0 : 1));
  return (
    <Box flexDirection="column">
      {toast !== undefined && <ReadLine text={`Message: ${toast}.`} />}
      {modal !== undefined && modal !== "filter" && modal !== "search" ? (
        <Modals columns={columns} rows={height} />
      ) : view === "overview" ? (
        <ReadOverview columns={columns} height={height} />
      ) : (
        <>
          <ReadLine text={`View ${view}: ${VIEW_TITLES[view]}. Escape goes back.`} />
          <CurrentView columns={columns} height={height - 1} />
        </>
      )}
    </Box>
  );
});

function ReadOverview({ columns, height }: { readonly columns: number; readonly height: number }): ReactNode {
  const text = useDashboard((s) => spokenLines(s, columns, height).join("\n"));
  useDrawn("screen reader");
  return text.split("\n").map((line, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: lines have no names
    <ReadLine key={i} text={line} />
  ));
}

function ReadLine({ text }: { readonly text: string }): ReactNode {
  return (
    <Line>
      <Say>{text}</Say>
    </Line>
  );
}
