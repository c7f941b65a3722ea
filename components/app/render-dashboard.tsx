import chalk from "chalk";
import { type Instance, render, useApp, useWindowSize } from "ink";
import { type ReactNode, useEffect, useInsertionEffect } from "react";
import type { DashboardStore } from "../../src/store/dashboard-store.ts";
import type { LeaveHow, TerminalActions } from "../../src/store/keymap/binding.ts";
import type { Colours, TerminalCapabilities } from "../../src/store/terminal-capabilities.ts";
import { toAscii, translated } from "../kit/ascii.ts";
import { chooseTheme, type OwnColours } from "../kit/theme.ts";
import { screenReaderText } from "../screen-reader/lines.ts";
import { frameDiffStdout } from "../terminal/frame-diff.ts";
import { LinePlaceholders, LinePlaceholdersContext } from "../terminal/line-placeholders.ts";
import { ResizeGate } from "../terminal/resize-gate.ts";
import { App } from "./app.tsx";

/**
 * Above the feed's maximum of 20 updates a second: Ink drops frames at a rate equal to its limit, and a key waits up to one frame
 * interval.
 */
const MAX_FPS = 60;
/** Levels of chalk, which Ink uses for colours. It ignores NO_COLOR, and its bold and dim depend on the colours. */
const CHALK: Readonly<Record<Colours, 1 | 2 | 3>> = { none: 1, "16": 1, "256": 2, true: 3 };

/** Gives the terminal back as it was before, runs the task, and takes it again: everything is redrawn at the new size. */
export type Lend = (task: () => Promise<void>) => Promise<void>;

/**
 * Draws the dashboard on a terminal until a person leaves it. Returns how they left, once the terminal is restored. A terminal
 * that goes away (EPIPE, EIO) is a detach: the run does not belong to its client.
 */
export async function renderDashboard(options: {
  readonly store: DashboardStore;
  /** The terminal's actions beside leaving. */
  readonly terminal?: Omit<TerminalActions, "leave">;
  readonly stdout: NodeJS.WritableStream;
  readonly stdin: NodeJS.ReadableStream;
  /** The capabilities of the terminal. */
  readonly capabilities: Pick<TerminalCapabilities, "colours" | "background" | "glyphs" | "links" | "hasScreenReader"> &
    Partial<Pick<TerminalCapabilities, "hasContrast" | "hasReducedMotion">>;
  /** Colours of the person's own. */
  readonly own?: OwnColours | undefined;
  /** Called with the way to lend the terminal, once it is drawn on. */
  readonly onDrawn?: (lend: Lend) => void;
  /** Called when a person leaves, before the terminal is given back. */
  readonly onLeave?: (how: LeaveHow) => void;
}): Promise<LeaveHow> {
  let left: LeaveHow = "detach";
  let leaving = false;
  let instance: Instance | undefined;
  const leave = (how: LeaveHow): void => {
    if (leaving) return;
    leaving = true;
    left = how;
    options.onLeave?.(how);
    instance?.unmount();
  };
  const gone = (): void => leave("detach");
  options.stdout.on("error", gone);
  options.stdin.on("error", gone);
  options.stdin.on("end", gone);
  const { capabilities } = options;
  const laidOut = new ResizeGate(options.stdout);
  const prepared = new LinePlaceholders(() => options.store.getState().ui.modal !== undefined);
  const app = (
    <Lending laidOut={laidOut} onDrawn={options.onDrawn}>
      <LinePlaceholdersContext value={capabilities.hasScreenReader ? undefined : prepared}>
        <App
          store={options.store}
          terminal={{ ...options.terminal, leave }}
          theme={chooseTheme({ ...capabilities, own: options.own })}
          hasLinks={capabilities.links}
          tickMs={capabilities.hasReducedMotion ? 10_000 : 1_000}
        />
      </LinePlaceholdersContext>
    </Lending>
  );
  instance = renderOnTerminal(app, { ...options, laidOut, prepared });
  if (leaving) instance.unmount();
  try {
    await instance.waitUntilExit();
  } finally {
    options.stdout.off("error", gone);
    options.stdin.off("error", gone);
    options.stdin.off("end", gone);
  }
  return left;
}

/** Has Ink draw on a terminal as far as it is capable: whole screens that never scroll, of which only changed cells are written. */
export function renderOnTerminal(
  app: ReactNode,
  options: Pick<Parameters<typeof renderDashboard>[0], "stdin" | "stdout" | "capabilities"> & {
    readonly laidOut: ResizeGate;
    readonly prepared: LinePlaceholders;
  },
): Instance {
  const { capabilities, stdin, stdout, laidOut, prepared } = options;
  chalk.level = CHALK[capabilities.colours];
  const drawnOn = capabilities.glyphs === "ascii" ? translated(stdout, toAscii) : stdout;
  return render(app, {
    stdout: capabilities.hasScreenReader
      ? translated(drawnOn, screenReaderText)
      : frameDiffStdout(drawnOn, { laidOut, prepared }),
    stdin,
    // Text that a screen reader has read stays in the scrollback.
    alternateScreen: !capabilities.hasScreenReader,
    isScreenReaderEnabled: capabilities.hasScreenReader,
    // Ink rewrites a changed line up to the edge; frameDiffStdout writes only changed cells, and needs whole frames for that.
    incrementalRendering: capabilities.hasScreenReader,
    maxFps: MAX_FPS,
    exitOnCtrlC: false,
    patchConsole: false,
    interactive: true,
  } as Parameters<typeof render>[1]);
}

/** Records the size of the layout, and hands out a way to lend the terminal, which Ink gives only within its tree. */
export function Lending(options: {
  readonly laidOut: ResizeGate;
  readonly onDrawn: ((lend: Lend) => void) | undefined;
  readonly children: ReactNode;
}): ReactNode {
  const { laidOut, onDrawn } = options;
  const { suspendTerminal, waitUntilRenderFlush } = useApp();
  const { columns, rows } = useWindowSize();
  // Ink draws the frame after insertion effects and before all others. App learns the size from this, so both belong to one
  // commit.
  useInsertionEffect(() => laidOut.set(columns, rows), [laidOut, columns, rows]);
  useEffect(() => {
    // Frames of the new size that Ink holds back go out first.
    void waitUntilRenderFlush().then(() => laidOut.settle(columns, rows));
  }, [laidOut, columns, rows, waitUntilRenderFlush]);
  useEffect(() => {
    onDrawn?.((task) =>
      suspendTerminal(async () => {
        await task();
        // Ink draws the last layout at once: it must be for the terminal's current size.
        if (laidOut.isCurrent()) return;
        const { promise, resolve } = Promise.withResolvers<void>();
        laidOut.onSettled(resolve);
        await promise;
      }),
    );
  }, [onDrawn, suspendTerminal, laidOut]);
  return options.children;
}
