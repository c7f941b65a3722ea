import type { DashboardStore } from "../dashboard-store.ts";
import type { KeyPress, TerminalActions } from "./binding.ts";
import { currentMode, press } from "./keymap.ts";

/** For this long after a run's end, keys count as meant for the run. Milliseconds. */
const END_GUARD_MS = 700;
/** Keys that follow an ignored one faster than this are the same piece of typing. Milliseconds. */
const TYPING_MS = 400;
/** Keys that the gate keeps until a run is known, at most. */
const MOST_HELD = 64;
const TOAST_MS = 4_000;

/**
 * Stands between the terminal and `press`. It keeps keys typed before the run is known until it is: none is lost. Keys typed
 * while a run ends do not become commands of the summary that replaces the overview. Leaving always works, unless it is a letter
 * within typing.
 */
export class KeyGate {
  readonly #store: DashboardStore;
  readonly #terminal: () => TerminalActions;
  readonly #now: () => number;
  readonly #held: KeyPress[] = [];
  #endedAt = Number.NEGATIVE_INFINITY;
  #typedAt = Number.NEGATIVE_INFINITY;

  /** `now`: milliseconds of a clock that never goes back. */
  constructor(store: DashboardStore, terminal: () => TerminalActions, now: () => number = () => performance.now()) {
    this.#store = store;
    this.#terminal = terminal;
    this.#now = now;
  }

  /** Watches the store from now on. Returns a function that stops it. */
  watch(): () => void {
    return this.#store.subscribe(({ run, playback }, before) => {
      const ends = run?.end !== undefined && before.run?.run === run.run && before.run.end === undefined;
      if (ends && playback === undefined) this.#endedAt = this.#now();
      if (this.#held.length > 0 && !this.#waits()) press(this.#store, this.#held.splice(0), this.#terminal());
    });
  }

  /** Takes one burst of presses. */
  take(presses: readonly KeyPress[]): void {
    const leaves = presses.length === 1 && presses.some((one) => this.#isLeaving(one));
    if (this.#waits() && !leaves) {
      this.#held.push(...presses.slice(0, MOST_HELD - this.#held.length));
      return;
    }
    const now = this.#now();
    const isTyping = now - this.#typedAt < TYPING_MS;
    if (this.#isMeantForTheRun(now, isTyping) && !(leaves && !isTyping)) return this.#passOver(now);
    press(this.#store, presses, this.#terminal());
  }

  /** True if no run is known yet, but one may be at any moment. */
  #waits(): boolean {
    const { run, ui } = this.#store.getState();
    return run === undefined && ui.connection.state === "connecting" && ui.modal === undefined && !ui.tooSmall;
  }

  #isMeantForTheRun(now: number, isTyping: boolean): boolean {
    if (currentMode(this.#store.getState()) !== "summary") return false;
    if (now - this.#endedAt >= END_GUARD_MS && !isTyping) this.#endedAt = Number.NEGATIVE_INFINITY;
    return this.#endedAt !== Number.NEGATIVE_INFINITY;
  }

  #passOver(now: number): void {
    this.#typedAt = now;
    const until = this.#store.getState().now + TOAST_MS;
    const text = "the run has just ended: what was typed meanwhile is passed over";
    this.#store.dispatch({ type: "toast", toast: { text, tone: "waiting", until } });
  }

  #isLeaving(one: KeyPress): boolean {
    const name = "key" in one ? one.key : one.char;
    const binding = this.#store.getState().keymap.summary.find((b) => b.keys.includes(name));
    return binding !== undefined && LEAVING.has(binding.name);
  }
}

/** Bindings that always work. */
const LEAVING: ReadonlySet<string> = new Set(["leave", "quit", "suspend"]);
