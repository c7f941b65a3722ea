import { createStore } from "zustand";
import { renderWatch, type WatchState } from "../../../components/app/watch-app.tsx";
import { errorMessage } from "../../domain/values/text.ts";
import { terminalCapabilities } from "../../store/terminal-capabilities.ts";
import type { Machine } from "../../store/watch-list.ts";
import type { ScreenFiles } from "../screen-files.ts";
import { attach } from "../verbs/attach.ts";
import { readMachine, readThisMachine } from "./machines.ts";

/** From the end of one reading to the next. Milliseconds. */
const PAUSE_MS = { here: 3_000, elsewhere: 15_000 } as const;

/** Shows the list on the terminal until a person leaves it; a chosen run has the terminal for as long as it is looked at. Returns 0. */
export async function watchOnTerminal(hosts: readonly string[], files: ScreenFiles): Promise<number> {
  const { stdin, stdout, env } = process;
  const capabilities = terminalCapabilities({ env, isTTY: stdout.isTTY, depth: stdout.getColorDepth(env) });
  for (;;) {
    const machines: readonly Machine[] = [readThisMachine(), ...hosts.map((host) => ({ host }))];
    const store = createStore<WatchState>(() => ({ machines, now: Date.now() }));
    const left = new AbortController();
    const put = (machine: Machine): void =>
      store.setState(({ machines: all }) => ({
        now: Date.now(),
        machines: all.map((each) => (each.host === machine.host ? kept(each, machine) : each)),
      }));
    const until = { signal: left.signal, put };
    repeat(undefined, async () => readThisMachine(), until);
    for (const host of hosts) repeat(host, () => readMachine(host, env), until);
    const chosen = await renderWatch({ store, stdin, stdout, capabilities, own: files.colours });
    left.abort();
    if (chosen === undefined) return 0;
    await attach(chosen.run);
  }
}

/** A machine that does not answer keeps its runs as they were last seen, with the reason. */
function kept(before: Machine, now: Machine): Machine {
  return now.problem === undefined || before.runs === undefined ? now : { ...before, problem: now.problem };
}

/** Reads a machine again and again, with pauses, until the signal. */
function repeat(
  host: string | undefined,
  read: () => Promise<Machine>,
  { signal, put }: { readonly signal: AbortSignal; readonly put: (machine: Machine) => void },
): void {
  const pauseMs = host === undefined ? PAUSE_MS.here : PAUSE_MS.elsewhere;
  const once = async (): Promise<void> => {
    const machine = await read().catch((error: unknown): Machine => ({ host, problem: errorMessage(error) }));
    if (signal.aborted) return;
    put(machine);
    const timer = setTimeout(() => void once(), pauseMs);
    signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  };
  void once();
}
