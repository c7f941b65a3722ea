import { type Lend, renderDashboard } from "../../../components/app/render-dashboard.tsx";
import { toAscii, translated } from "../../../components/kit/ascii.ts";
import type { OwnColours } from "../../../components/kit/theme.ts";
import { plainText } from "../../domain/values/text.ts";
import type { DashboardStore } from "../../store/dashboard-store.ts";
import type { LeaveHow, TerminalActions } from "../../store/keymap/binding.ts";
import type { Tone } from "../../store/labels/tone.ts";
import { type TerminalCapabilities, terminalCapabilities } from "../../store/terminal-capabilities.ts";
import { askedToLeave } from "../signals.ts";
import { makeRoomForFrames } from "../small-heap.ts";
import { askBackground } from "./ask-background.ts";
import { measured, stopUntilContinued } from "./job-control.ts";
import { keepModes, type Modes } from "./modes.ts";
import { type NotifyOptions, notify } from "./notify.ts";
import { openerOf, openPage, pageAddress } from "./open-page.ts";
import { CLIPBOARD_LIMIT, clipboard, modesOf } from "./sequences.ts";

const TOAST_MS = 6_000;

/**
 * Shows the dashboard on this process's terminal until a person or a signal leaves it, and returns how. It uses all of the
 * terminal's capabilities, and restores them: on leaving, on Ctrl-Z, and if the process ends unexpectedly.
 */
export async function showDashboard(store: DashboardStore, own?: OwnColours): Promise<LeaveHow> {
  const { stdin } = process;
  const leaving = askedToLeave();
  // The dashboard reads the end of its input as a closed terminal, which is a detach: the same is wanted here.
  const detach = (): void => void stdin.emit("end");
  leaving.addEventListener("abort", detach);
  const how = leaving.aborted ? "detach" : await drawUntilLeft(store, own);
  leaving.removeEventListener("abort", detach);
  stdin.unref();
  return how;
}

async function drawUntilLeft(store: DashboardStore, own: OwnColours | undefined): Promise<LeaveHow> {
  const { stdin, stdout, env } = process;
  const detected = terminalCapabilities({ env, isTTY: stdout.isTTY, depth: stdout.getColorDepth(env) });
  const isUnknown = detected.background === "unknown" && detected.colours !== "none";
  const capabilities = isUnknown ? { ...detected, background: await askBackground(stdin, stdout) } : detected;
  // Writing to a closed terminal fails. The close itself is detected elsewhere.
  const gone = (): void => undefined;
  stdout.on("error", gone);
  const modes = keepModes(stdout, modesOf(capabilities));
  const plain = capabilities.glyphs === "ascii" ? translated(stdout, toAscii) : stdout;
  modes.take();
  const calls = notify(store, (text) => void plain.write(text), capabilities);
  const lending = lendsTo({ store, modes, calls });
  const copy = copier(store, stdout, capabilities);
  const terminal = { copy, open: pageOpener(store, copy, capabilities), suspend: lending.suspend };
  const endRoom = makeRoomForFrames();
  try {
    const onLeave = (): void => {
      calls.end();
      lending.end();
    };
    return await renderDashboard({ store, terminal, stdin, stdout, capabilities, own, onLeave, onDrawn: lending.onDrawn });
  } finally {
    endRoom();
    modes.end();
    stdout.off("error", gone);
  }
}

/** Lends the terminal to the shell on Ctrl-Z and on a SIGTSTP from elsewhere, and takes it again after any other stop. */
function lendsTo({
  calls,
  modes,
  store,
}: {
  readonly store: DashboardStore;
  readonly modes: Modes;
  readonly calls: NotifyOptions;
}): {
  readonly onDrawn: (lend: Lend) => void;
  readonly suspend: () => void;
  readonly end: () => void;
} {
  let lend: Lend | undefined;
  let lent = false;
  const lendFor = async (task: () => Promise<void>): Promise<void> => {
    if (lend === undefined || lent) return;
    lent = true;
    calls.rest();
    await lend(async () => {
      modes.give();
      await task();
      await measured();
      modes.take();
    });
    lent = false;
    calls.goOn();
  };
  const suspend = (): void => void lendFor(stop);
  const stop = async (): Promise<void> => {
    process.off("SIGTSTP", suspend);
    const stopped = await stopUntilContinued();
    process.on("SIGTSTP", suspend);
    if (!stopped) say(store, "nobody waits for this program as a shell does: it cannot be put aside", "waiting");
  };
  const continued = (): void => void lendFor(async () => undefined);
  process.on("SIGTSTP", suspend);
  process.on("SIGCONT", continued);
  return {
    onDrawn: (drawn) => {
      lend = drawn;
    },
    suspend,
    end: () => {
      lend = undefined;
      process.off("SIGTSTP", suspend);
      process.off("SIGCONT", continued);
    },
  };
}

/** Puts text into the terminal's clipboard, and reports the result as far as it is known: no terminal answers. */
function copier(store: DashboardStore, stdout: NodeJS.WriteStream, capabilities: TerminalCapabilities): (text: string) => void {
  return (text) => {
    if (capabilities.clipboard === "none")
      return say(store, "this terminal takes no text from programs: hold shift and mark it with the mouse", "waiting");
    const sequence = clipboard(text);
    if (sequence === undefined)
      return say(store, `not copied: more than ${CLIPBOARD_LIMIT / 1024} KiB, which terminals cut short`, "bad");
    stdout.write(sequence);
    const through = capabilities.clipboard === "tmux" ? " by way of tmux, if its set-clipboard is on" : "";
    say(store, `${[...text].length} characters given to the terminal's clipboard${through}`, "good");
  };
}

/** Opens pages where there is a screen for a browser; else the address goes to the clipboard, if the terminal has one. It is shown anyway. */
function pageOpener(
  store: DashboardStore,
  copy: (text: string) => void,
  capabilities: TerminalCapabilities,
): NonNullable<TerminalActions["open"]> {
  const given = capabilities.clipboard === "none" ? "" : " (given to the terminal's clipboard)";
  return ({ name, url }) => {
    const address = pageAddress(url);
    if (address === undefined) return say(store, `${name} has no address on the web`, "bad");
    const opener = openerOf(process.env, process.platform);
    if (opener === undefined) {
      copy(address);
      return say(store, `${name}: ${address}${given}`, "good");
    }
    say(store, `${name}: ${address} (opened with ${opener})`, "good");
    openPage(opener, address, process.env, (why) => {
      copy(address);
      say(store, `${opener} did not open ${address}: ${plainText(why, 100)}`, "bad");
    });
  };
}

function say(store: DashboardStore, text: string, tone: Tone): void {
  store.dispatch({ type: "toast", toast: { text, tone, until: Date.now() + TOAST_MS } });
}
