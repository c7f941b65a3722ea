import { render } from "ink";
import { App } from "../../components/app.tsx";
import { DEFAULT_THEME, type Theme } from "../../components/theme.ts";
import type { DashboardStore } from "../../src/store/dashboard-store.ts";
import type { Feed } from "../../src/store/feed.ts";
import type { RunBuilder } from "../store/run-builder.ts";
import { Stage, storeOf } from "./stage.ts";

export interface Mounted extends AsyncDisposable {
  readonly stage: Stage;
  readonly store: DashboardStore;
  readonly feed: Feed;
}

/** Draws the whole dashboard of a run on a terminal model, and takes it down at the end of the block. */
export async function mount(
  run: RunBuilder,
  columns: number,
  rows: number,
  of: { readonly theme?: Theme } = {},
): Promise<Mounted> {
  const stage = new Stage(columns, rows);
  const { store, feed } = storeOf(run);
  const instance = render(
    <App store={store} hands={stage.hands} theme={of.theme ?? DEFAULT_THEME} now={() => run.now} onDraw={stage.onDraw} />,
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
    feed,
    async [Symbol.asyncDispose]() {
      feed.close();
      instance.unmount();
      await instance.waitUntilExit();
    },
  };
}
