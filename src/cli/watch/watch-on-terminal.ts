import { createStore, type StoreApi } from "zustand";
import { renderWatch, type WatchState } from "../../../components/app/watch-app.tsx";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { terminalCapabilities } from "../../store/terminal-capabilities.ts";
import type { Machine, WatchedRun } from "../../store/watch-list.ts";
import type { ScreenFiles } from "../screen-files.ts";
import { askedToLeave } from "../signals.ts";
import { attach } from "../verbs/attach.ts";
import { createLocalReader, readMachine } from "./machines.ts";

/** From the end of one reading to the next. Milliseconds. */
const PAUSE_MS = { here: 3_000, elsewhere: 15_000 } as const;

/**
 * Shows the list on the terminal until a person or a signal leaves it; a chosen run has the terminal for as long as it is looked at.
 * Returns 0, or the code of an interruption.
 */
export async function watchOnTerminal(hosts: readonly string[], files: ScreenFiles): Promise<number> {
  const readHere = createLocalReader();
  const machines: readonly Machine[] = [readHere(), ...hosts.map((host) => ({ host }))];
  const store = createStore<WatchState>(() => ({ machines, now: Date.now() }));
  const asked = askedToLeave();
  try {
    while (!asked.aborted) {
      // Keys that are typed on the way from one screen to the other are echoed by nobody.
      process.stdin.setRawMode(true);
      const chosen = await chooseRun(hosts, { store, readHere, own: files.colours, asked });
      if (chosen === undefined) break;
      process.stdin.setRawMode(true);
      store.setState({ said: await problemOf(attach(chosen.run)) });
    }
  } finally {
    process.stdin.setRawMode(false);
    process.stdin.unref();
  }
  return asked.aborted ? EXIT.interrupted : EXIT.done;
}

interface Choosing {
  readonly store: StoreApi<WatchState>;
  readonly readHere: () => Machine;
  readonly own: ScreenFiles["colours"];
  readonly asked: AbortSignal;
}

/** Shows the list, and keeps it as the machines are, until a person leaves it or chooses a run. */
async function chooseRun(hosts: readonly string[], { store, readHere, own, asked }: Choosing): Promise<WatchedRun | undefined> {
  const { stdin, stdout, env } = process;
  const capabilities = terminalCapabilities({ env, isTTY: stdout.isTTY, depth: stdout.getColorDepth(env) });
  const left = new AbortController();
  const signal = AbortSignal.any([left.signal, asked]);
  try {
    const put = (machine: Machine): void => store.setState((state) => withMachine(state, machine));
    repeat(async () => readHere(), { pauseMs: PAUSE_MS.here, signal, put });
    for (const host of hosts) repeat(() => readMachine(host, env, signal), { pauseMs: PAUSE_MS.elsewhere, signal, put });
    return await renderWatch({ store, stdin, stdout, capabilities, own, signal: asked });
  } finally {
    left.abort();
  }
}

/** Why a run could not be shown; empty if it was. */
async function problemOf(showing: Promise<number>): Promise<string> {
  try {
    await showing;
    return "";
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return `${error.what}: ${error.why}`;
  }
}

/** A machine that does not answer keeps its runs as they were last seen, with the reason. */
function withMachine({ machines, ...state }: WatchState, machine: Machine): WatchState {
  const kept = (before: Machine): Machine =>
    machine.problem === undefined || before.runs === undefined ? machine : { ...before, problem: machine.problem };
  return { ...state, now: Date.now(), machines: machines.map((each) => (each.host === machine.host ? kept(each) : each)) };
}

interface Repeat {
  readonly pauseMs: number;
  readonly signal: AbortSignal;
  readonly put: (machine: Machine) => void;
}

/** Reads a machine again and again, with pauses, until the signal. */
function repeat(read: () => Promise<Machine>, { pauseMs, signal, put }: Repeat): void {
  const once = async (): Promise<void> => {
    const machine = await read();
    if (signal.aborted) return;
    put(machine);
    const timer = setTimeout(() => void once(), pauseMs);
    signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  };
  void once();
}
