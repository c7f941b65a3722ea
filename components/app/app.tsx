import { Box, Text, useIsScreenReaderEnabled, useWindowSize } from "ink";
import { type ReactNode, useEffect, useMemo } from "react";
import type { DashboardStore } from "../../src/store/dashboard-store.ts";
import type { TerminalActions } from "../../src/store/keymap/binding.ts";
import { SMALLEST_TERMINAL } from "../../src/store/terminal-capabilities.ts";
import { Modals } from "../dialogs/modals.tsx";
import { Footer } from "../frame/footer.tsx";
import { Header } from "../frame/header.tsx";
import { isTooSmall, LAYOUT_LINES } from "../frame/layout.ts";
import { OracleLine } from "../frame/oracle-line.tsx";
import { DashboardContext, useDashboard, useDrawn } from "../kit/dashboard-context.ts";
import { DEFAULT_THEME, type Theme } from "../kit/theme.ts";
import { ScreenReader } from "../screen-reader/screen-reader.tsx";
import { CurrentView } from "../views/current-view.tsx";
import { useTerminalInput } from "./input.ts";

const SECOND = 1000;
/** The clock's offset into a second: late, so that updates of a busy run have mostly brought the new time already. */
const LATE_MS = 600;

export interface AppProps {
  readonly store: DashboardStore;
  /** The creator of the app takes it down when a person leaves. */
  readonly terminal: TerminalActions;
  /** Overrides the size of the terminal. */
  readonly size?: { readonly columns: number; readonly rows: number };
  /** The styles of tones. @default the 16 colours of the terminal */
  readonly theme?: Theme;
  /** The terminal shows hyperlinks. @default false */
  readonly hasLinks?: boolean;
  /** Milliseconds from one move of all clocks to the next. @default 1000 */
  readonly tickMs?: number;
  /** Wall-clock milliseconds. @default Date.now */
  readonly now?: () => number;
  /** Called with the name of a view each time it is drawn. */
  readonly onDraw?: (view: string) => void;
}

/** The dashboard of one run. All its data is in the store; it only gives commands and leaves. */
export function App({
  store,
  terminal,
  size,
  theme = DEFAULT_THEME,
  hasLinks = false,
  tickMs = SECOND,
  now = Date.now,
  onDraw,
}: AppProps): ReactNode {
  const measured = useWindowSize();
  const { columns, rows } = size ?? measured;
  const tooSmall = isTooSmall(columns, rows);
  const dashboard = useMemo(() => ({ store, theme, hasLinks, onDraw }), [store, theme, hasLinks, onDraw]);
  useTerminalInput(store, terminal, { columns, rows });
  useEffect(() => store.dispatch({ type: "size", tooSmall }), [store, tooSmall]);
  useClock(store, { now, tickMs });
  const hasScreenReader = useIsScreenReaderEnabled();
  if (hasScreenReader)
    return (
      <DashboardContext value={dashboard}>
        <LeaveAfterStop leave={terminal.leave} />
        <ScreenReader columns={columns} rows={rows} />
      </DashboardContext>
    );
  return (
    <DashboardContext value={dashboard}>
      <LeaveAfterStop leave={terminal.leave} />
      {tooSmall ? <TooSmall columns={columns} rows={rows} /> : <Screen columns={columns} rows={rows} />}
    </DashboardContext>
  );
}

/** The one clock of all views. */
function useClock(store: DashboardStore, { now, tickMs }: { readonly now: () => number; readonly tickMs: number }): void {
  useEffect(() => {
    let timer: NodeJS.Timeout;
    const tick = (): void => {
      store.tick(now());
      timer = setTimeout(tick, tickMs + LATE_MS - (now() % tickMs));
    };
    tick();
    return () => clearTimeout(timer);
  }, [store, now, tickMs]);
}

function TooSmall({ columns, rows }: { readonly columns: number; readonly rows: number }): ReactNode {
  return (
    <Box width={columns} height={Math.max(1, rows)} overflow="hidden">
      <Text wrap="truncate">{`terminal too small (need ${SMALLEST_TERMINAL.columns}×${SMALLEST_TERMINAL.rows})`}</Text>
    </Box>
  );
}

function Screen({ columns, rows }: { readonly columns: number; readonly rows: number }): ReactNode {
  useDrawn("screen");
  return (
    <Box flexDirection="column" width={columns} height={rows} overflowY="hidden">
      <Header width={columns} />
      <OracleLine width={columns} />
      <CurrentView columns={columns} height={rows - LAYOUT_LINES} />
      <Footer width={columns} />
      <Modals columns={columns} rows={rows} />
    </Box>
  );
}

/** If a person asked here for the stop, the dashboard exits by itself once the run has ended. */
function LeaveAfterStop({ leave }: Pick<TerminalActions, "leave">): ReactNode {
  const over = useDashboard((s) => s.ui.stopAsked && s.run?.end !== undefined);
  useEffect(() => {
    if (over) leave("stop-requested");
  }, [over, leave]);
  return null;
}
