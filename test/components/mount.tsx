import { render } from "ink";
import { App } from "../../components/app/app.tsx";
import { DEFAULT_THEME, type Theme } from "../../components/kit/theme.ts";
import type { DashboardStore } from "../../src/store/dashboard-store.ts";
import type { Feed } from "../../src/store/feed.ts";
import type { RunBuilder } from "../store/run-builder.ts";
import { Stage, storeOf } from "./stage.ts";

interface Drawn extends AsyncDisposable {
  readonly stage: Stage;
  readonly store: DashboardStore;
  /** Resolves once the terminal has all that was drawn. */
  readonly drawn: () => Promise<void>;
}

export interface Mounted extends Drawn {
  readonly feed: Feed;
  /** Tells the dashboard all that has happened to the run since; it is shown at the next flush. */
  readonly tell: () => void;
}

/**
 * Draws the whole dashboard of a store on a terminal model, and takes it down at the end of the block. The terminal of
 * ink-testing-library has 100 columns, no rows, no resize and no cells, so only single components are drawn on it: see part.tsx.
 */
export async function drawn(
  store: DashboardStore,
  columns: number,
  rows: number,
  options: { readonly theme?: Theme; readonly now?: () => number; readonly stage?: Stage; readonly tickMs?: number } = {},
): Promise<Drawn> {
  const { theme = DEFAULT_THEME, now = () => 0, stage = new Stage(columns, rows), tickMs = 1_000 } = options;
  const instance = render(
    <App store={store} terminal={stage.terminalActions} theme={theme} now={now} tickMs={tickMs} onDraw={stage.onDraw} />,
    {
      stdout: stage.terminal,
      stdin: stage.keyboard,
      alternateScreen: true,
      incrementalRendering: true,
      maxFps: 1000,
      exitOnCtrlC: false,
      patchConsole: false,
      interactive: true,
    } as Parameters<typeof render>[1],
  );
  await instance.waitUntilRenderFlush();
  return {
    stage,
    store,
    drawn: async () => void (await instance.waitUntilRenderFlush()),
    async [Symbol.asyncDispose]() {
      instance.unmount();
      await instance.waitUntilExit();
    },
  };
}

/** Draws the whole dashboard of a run on a terminal model, and takes it down at the end of the block. */
export async function mount(
  run: RunBuilder,
  columns: number,
  rows: number,
  options: { readonly theme?: Theme } = {},
): Promise<Mounted> {
  const stage = new Stage(columns, rows);
  const { store, feed } = storeOf(run, stage.actions);
  const screen = await drawn(store, columns, rows, { ...options, stage, now: () => run.now });
  return {
    ...screen,
    feed,
    tell() {
      for (const event of run.events) feed.take({ kind: "event", event });
    },
    async [Symbol.asyncDispose]() {
      feed.close();
      await screen[Symbol.asyncDispose]();
    },
  };
}
