import { openRunStore } from "../../adapters/journal/sqlite-run-store.ts";
import type { RunEvent } from "../../domain/run/event.ts";
import type { RunState } from "../../domain/run/state.ts";
import type { RunId } from "../../domain/values/ids.ts";
import type { RunStore } from "../../ports/run-store.ts";
import { createDashboardStore, type DashboardStore } from "../../store/dashboard-store.ts";
import { type PlayAction, refusedActions } from "../../store/keymap/binding.ts";
import { KEYMAP } from "../../store/keymap/keymap.ts";
import { IS_REPLAY } from "../../store/keymap/live.ts";
import { replayKeymap } from "../../store/keymap/replay-keys.ts";
import { movePlayback, type Playback } from "../../store/playback.ts";
import { Player } from "../../store/player.ts";
import { projectTo } from "../../store/projector.ts";
import { tampered } from "../engine/journal-state.ts";
import { lookBackFrom } from "../engine/snapshot.ts";
import type { ScreenFiles } from "../screen-files.ts";
import { stateHome } from "../state-home.ts";
import { showDashboard } from "../terminal/show-dashboard.ts";
import { showBroken } from "./disk-run.ts";
import { inSlices } from "./read-journal.ts";
import { startReaders } from "./readers.ts";

/** Time between two steps of a playing replay: 20 a second, like a live run. Milliseconds. */
const FRAME_MS = 50;

/** A run to replay. */
export interface ReplayOptions {
  readonly run: RunId;
  readonly folder: string;
  /** Playback speed at the start, as a multiple of the run's. */
  readonly speed: number;
  /** Skips stretches without events. */
  readonly skipsIdle: boolean;
}

/**
 * Plays a run from its journal in the dashboard. Throws a UserError (exit 3) after the screen is closed if the journal is broken.
 */
export async function replayOnTerminal(options: ReplayOptions, { keymap = KEYMAP, colours }: ScreenFiles = {}): Promise<void> {
  const actions = { ...refusedActions(IS_REPLAY), play: (action: PlayAction) => void tape.play(action) };
  const store = createDashboardStore({ now: Date.now(), keymap: replayKeymap(keymap), actions });
  const records = openRunStore(stateHome(process.env, process.cwd()).db);
  const endReaders = startReaders({ store, folder: () => options.folder });
  const leaving = new AbortController();
  const tape = new Tape({ ...options, store, records });
  const loaded = tape.load(leaving.signal);
  // A failure is handled once the screen is closed.
  loaded.catch(() => undefined);
  try {
    await showDashboard(store, colours);
  } finally {
    leaving.abort();
    tape.close();
    endReaders();
    await loaded.finally(() => records.close());
  }
}

interface TapeOptions extends ReplayOptions {
  readonly store: DashboardStore;
  readonly records: RunStore;
}

/** The journal on the player, and the timer that moves it. */
class Tape {
  readonly #options: TapeOptions;
  readonly #player: Player;
  #playback: Playback | undefined;
  /** The last event in the shown state. */
  #seq = 0;
  #timer: NodeJS.Timeout | undefined;
  #movedAt = 0;

  constructor(options: TapeOptions) {
    this.#options = options;
    this.#player = new Player({ read: (after) => this.#read(after) });
  }

  /** Reads and verifies the whole journal, shows the progress, and starts to play. Settles if the read is aborted. */
  async load(signal: AbortSignal): Promise<void> {
    const { store, records, run, speed, skipsIdle } = this.#options;
    const count = records.eventCount(run);
    const between = (rows: number): void =>
      store.dispatch({ type: "connection", connection: { state: "reading", rows, total: count } });
    try {
      between(0);
      await inSlices({ events: this.#read(0), signal, take: (event) => this.#player.record(event), between });
    } catch (error) {
      if (signal.aborted) return;
      throw showBroken({ run, store }, error);
    }
    if (this.#player.count === 0) throw tampered(run, "its journal is empty");
    const [from, to] = [this.#player.eventTime(1), this.#player.eventTime(this.#player.count)];
    store.dispatch({ type: "connection", connection: { state: "replay" } });
    this.#to({ from, to, at: from, playing: to > from, speed, skipsIdle });
    this.#movedAt = performance.now();
    this.#timer = setInterval(() => this.#pass(), FRAME_MS);
  }

  play(action: PlayAction): void {
    if (this.#playback !== undefined) this.#to(movePlayback(this.#playback, action, (time) => this.#nextAfter(time)));
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #pass(): void {
    const now = performance.now();
    const ms = now - this.#movedAt;
    this.#movedAt = now;
    if (this.#playback?.playing === true)
      this.#to(movePlayback(this.#playback, { type: "pass", ms }, (time) => this.#nextAfter(time)));
  }

  #to(playback: Playback): void {
    this.#playback = playback;
    const seq = this.#player.seqAt(playback.at);
    const passed: [RunEvent, RunState][] = [];
    const state = this.#player.seek(seq, (event, after) => void passed.push([event, after]));
    const playedOn = passed.length === seq - this.#seq;
    this.#seq = seq;
    projectTo(this.#options.store, { state, playback, ...(playedOn ? { passed } : { recent: [...this.#until(seq)] }) });
  }

  *#until(seq: number): Generator<RunEvent> {
    for (const event of this.#read(lookBackFrom(seq))) {
      if (event.seq > seq) return;
      yield event;
    }
  }

  #nextAfter(time: number): number | undefined {
    const seq = this.#player.seqAt(time);
    return seq < this.#player.count ? this.#player.eventTime(seq + 1) : undefined;
  }

  #read(after: number): Iterable<RunEvent> {
    return this.#options.records.openForReading(this.#options.run).read(after);
  }
}
