import { type Instance, render } from "ink";
import type { Command } from "../src/domain/command.ts";
import type { DashboardStore } from "../src/store/dashboard-store.ts";
import type { LeaveHow } from "../src/store/keymap-types.ts";
import { App } from "./app.tsx";

/** Twice the 20 updates a second that the feed makes at most: Ink drops frames at a rate equal to its limit. */
const MAX_FPS = 40;

/**
 * Draws the dashboard on a terminal until a person leaves it, and returns how, once the terminal is as it was before.
 * A terminal that goes away (EPIPE, EIO) is a detach: the run is not its client's. Colours are used where the
 * terminal says it has them, which it denies under NO_COLOR.
 */
export async function renderDashboard(of: {
  readonly store: DashboardStore;
  readonly send: (command: Command) => void;
  readonly stdout: NodeJS.WritableStream;
  readonly stdin: NodeJS.ReadableStream;
  /** Called when a person leaves, before the terminal is given back. */
  readonly onLeave?: (how: LeaveHow) => void;
  /** @default what the terminal says: none under NO_COLOR or TERM=dumb */
  readonly color?: boolean;
}): Promise<LeaveHow> {
  let left: LeaveHow = "detach";
  let leaving = false;
  let instance: Instance | undefined;
  const leave = (how: LeaveHow): void => {
    if (leaving) return;
    leaving = true;
    left = how;
    of.onLeave?.(how);
    instance?.unmount();
  };
  const gone = (): void => leave("detach");
  of.stdout.on("error", gone);
  of.stdin.on("error", gone);
  of.stdin.on("end", gone);
  const color = of.color ?? hasColours(of.stdout);
  instance = render(<App store={of.store} send={of.send} leave={leave} color={color} />, {
    stdout: of.stdout,
    stdin: of.stdin,
    alternateScreen: true,
    incrementalRendering: true,
    maxFps: MAX_FPS,
    exitOnCtrlC: false,
    patchConsole: false,
    interactive: true,
  });
  if (leaving) instance.unmount();
  try {
    await instance.waitUntilExit();
  } finally {
    of.stdout.off("error", gone);
    of.stdin.off("error", gone);
    of.stdin.off("end", gone);
  }
  return left;
}

/** Asks the terminal: Node's own heeds NO_COLOR, FORCE_COLOR and TERM; chalk, which Ink uses, knows no NO_COLOR. */
function hasColours(stdout: NodeJS.WritableStream): boolean {
  return !("getColorDepth" in stdout) || typeof stdout.getColorDepth !== "function" || stdout.getColorDepth() > 1;
}
