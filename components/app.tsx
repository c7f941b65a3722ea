import { Box, Text, useInput, usePaste, useWindowSize } from "ink";
import { type ReactNode, useEffect, useMemo } from "react";
import type { Command } from "../src/domain/command.ts";
import type { DashboardStore } from "../src/store/dashboard-store.ts";
import type { LeaveHow } from "../src/store/keymap-types.ts";
import { pressesOf } from "../src/store/keys.ts";
import { paste, press } from "../src/store/press.ts";
import { DashboardContext, useDashboard, useDrawn } from "./dashboard-context.ts";
import { FeedView } from "./feed-view.tsx";
import { Footer } from "./footer.tsx";
import { Header } from "./header.tsx";
import { isTooSmall, type Layout, layoutOf, MIN_COLUMNS, MIN_ROWS } from "./layout.ts";
import { Modals } from "./modals.tsx";
import { OracleLine } from "./oracle-line.tsx";
import { Queue } from "./queue.tsx";
import { Summary } from "./summary.tsx";
import { themeOf } from "./theme.ts";
import { Workers } from "./workers.tsx";

const SECOND = 1000;
/** How far into a second the clock ticks: late, so that updates of a busy run have mostly brought the new time already. */
const LATE_MS = 600;

export interface AppProps {
  readonly store: DashboardStore;
  readonly send: (command: Command) => void;
  /** Called when a person leaves; whoever drew the app takes it down. */
  readonly leave: (how: LeaveHow) => void;
  /** Overrides the size of the terminal. */
  readonly size?: { readonly columns: number; readonly rows: number };
  /** @default true */
  readonly color?: boolean;
  /** Wall-clock milliseconds. @default Date.now */
  readonly now?: () => number;
  /** Told whenever a view is drawn, by name. */
  readonly onDraw?: (view: string) => void;
}

/** The dashboard of one run. All it knows is in the store; all it does are commands and leaving. */
export function App({ store, send, leave, size, color = true, now = Date.now, onDraw }: AppProps): ReactNode {
  const measured = useWindowSize();
  const { columns, rows } = size ?? measured;
  const tooSmall = isTooSmall(columns, rows);
  const dashboard = useMemo(() => ({ store, theme: themeOf(color), onDraw }), [store, color, onDraw]);
  useInput((input, key) => press(store, pressesOf(input, key), { send, leave }));
  usePaste((text) => paste(store, text));
  useEffect(() => store.dispatch({ type: "size", tooSmall }), [store, tooSmall]);
  useClock(store, now);
  return (
    <DashboardContext value={dashboard}>
      <LeaveAfterStop leave={leave} />
      {tooSmall ? <TooSmall columns={columns} rows={rows} /> : <Screen columns={columns} rows={rows} />}
    </DashboardContext>
  );
}

/** The one clock of all views: once a second. */
function useClock(store: DashboardStore, now: () => number): void {
  useEffect(() => {
    let timer: NodeJS.Timeout;
    const tick = (): void => {
      store.tick(now());
      timer = setTimeout(tick, SECOND + LATE_MS - (now() % SECOND));
    };
    tick();
    return () => clearTimeout(timer);
  }, [store, now]);
}

function TooSmall({ columns, rows }: { readonly columns: number; readonly rows: number }): ReactNode {
  return (
    <Box width={columns} height={Math.max(1, rows)} overflow="hidden">
      <Text wrap="truncate">{`terminal too small (need ${MIN_COLUMNS}×${MIN_ROWS})`}</Text>
    </Box>
  );
}

function Screen({ columns, rows }: { readonly columns: number; readonly rows: number }): ReactNode {
  useDrawn("screen");
  const slots = useDashboard((s) => s.lists.slots.length);
  const ended = useDashboard((s) => s.run?.end !== undefined);
  const layout = useMemo(() => layoutOf(columns, rows, slots), [columns, rows, slots]);
  return (
    <Box flexDirection="column" width={columns} height={rows} overflowY="hidden">
      <Header width={columns} />
      <OracleLine width={columns} />
      {ended ? <Summary columns={columns} height={rows - 3} /> : <Blocks layout={layout} />}
      <Footer width={columns} />
      {!ended && <Modals columns={columns} rows={rows} />}
    </Box>
  );
}

function Blocks({ layout }: { readonly layout: Layout }): ReactNode {
  return (
    <>
      <Box flexDirection={layout.wide ? "row" : "column"} flexShrink={0}>
        <Workers layout={layout} />
        <Queue layout={layout} />
      </Box>
      {layout.feed.height > 0 && <FeedView layout={layout} />}
    </>
  );
}

/** Who asked here for the stop has waited for it: the dashboard leaves by itself once the run has ended. */
function LeaveAfterStop({ leave }: { readonly leave: (how: LeaveHow) => void }): ReactNode {
  const over = useDashboard((s) => s.ui.stopAsked && s.run?.end !== undefined);
  useEffect(() => {
    if (over) leave("stop-requested");
  }, [over, leave]);
  return null;
}
