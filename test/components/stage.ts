import { type Command, runActions } from "../../src/domain/run/command.ts";
import type { RunEvent } from "../../src/domain/run/event.ts";
import type { RunState } from "../../src/domain/run/state.ts";
import type { RunId } from "../../src/domain/values/ids.ts";
import { createDashboardStore, type DashboardStore } from "../../src/store/dashboard-store.ts";
import { createFeed, type Feed } from "../../src/store/feed.ts";
import { type Actions, type LeaveHow, refusedActions, type TerminalActions } from "../../src/store/keymap/binding.ts";
import type { RunBuilder } from "../store/run-builder.ts";
import { Keyboard, Terminal } from "./terminal.ts";

/** Waits until `check` holds; fails with what it last saw after two seconds. */
export async function until(
  check: () => boolean | Promise<boolean>,
  what: () => string | Promise<string> = () => "",
): Promise<void> {
  const deadline = performance.now() + 2000;
  while (!(await check())) {
    if (performance.now() > deadline) throw new Error(`never came: ${await what()}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A store with the run in it, as a client that has just come has it. */
export function storeOf(run: RunBuilder, actions?: Actions): { readonly store: DashboardStore; readonly feed: Feed } {
  const store = createDashboardStore({ now: run.now, ...(actions === undefined ? {} : { actions }) });
  const feed = createFeed(store, { now: () => run.now });
  feed.take(snapshotOf(run.state, run.events));
  return { store, feed };
}

export function snapshotOf(state: RunState, events: readonly RunEvent[]) {
  return { kind: "snapshot" as const, state, recent: events.slice(-200) };
}

/** What a test holds of a dashboard that is drawn. */
export class Stage {
  readonly terminal: Terminal;
  readonly keyboard = new Keyboard();
  readonly sent: Command[] = [];
  readonly left: LeaveHow[] = [];
  readonly drawn = new Map<string, number>();

  constructor(columns: number, rows: number) {
    this.terminal = new Terminal(columns, rows);
  }

  readonly switched: RunId[] = [];
  readonly actions: Actions = {
    ...refusedActions("not here"),
    ...runActions((command) => void this.sent.push(command)),
    switchRun: (run) => void this.switched.push(run),
  };
  readonly terminalActions: TerminalActions = { leave: (how) => void this.left.push(how) };
  readonly onDraw = (view: string): void => {
    this.drawn.set(view, (this.drawn.get(view) ?? 0) + 1);
  };

  /** Types, and waits until the screen shows `text`. */
  async press(keys: string, text: string): Promise<void> {
    this.keyboard.press(keys);
    await this.shows(text);
  }

  async shows(text: string): Promise<void> {
    await until(
      async () => (await this.terminal.text()).includes(text),
      async () => `"${text}" on\n${await this.terminal.text()}`,
    );
  }

  async hides(text: string): Promise<void> {
    await until(
      async () => !(await this.terminal.text()).includes(text),
      async () => `"${text}" gone from\n${await this.terminal.text()}`,
    );
  }
}
