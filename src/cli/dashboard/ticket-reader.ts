import { join } from "node:path";
import { createEventLineReader } from "../../adapters/agent/registry.ts";
import { type FollowedState, followFile } from "../../adapters/run-files/follow-file.ts";
import type { DashboardStore } from "../../store/dashboard-store.ts";
import { foldLongLines, LogText, type TextKind } from "../../store/ticket-log/log-text.ts";
import { type CommitRange, currentTarget } from "../../store/ticket-log/target.ts";

/** Largest change that is shown, in bytes. */
const CHANGE_BYTES = 2_000_000;

/** The data that the dashboard shows beside the engine's messages, and its location. */
export interface ReaderOptions {
  readonly store: DashboardStore;
  /** The folder of the run that is shown now: `runs/<run>`. */
  readonly folder: () => string;
}

/** The text to read: its target, and the run's folder that holds it. */
interface Wanted {
  readonly key: string;
  readonly folder: string;
  readonly path: string;
  readonly kind: TextKind;
  readonly change?: CommitRange;
}

/** Reads the text of the ticket view while that is shown: a growing file, or a change from git. */
export function readTicketText({ store, folder }: ReaderOptions): () => void {
  let at: Wanted | undefined;
  let end: (() => void) | undefined;
  const look = (): void => {
    const wanted = wantedOf(store, folder());
    if (isSame(at, wanted)) return;
    at = wanted;
    end?.();
    end = wanted && (wanted.change === undefined ? follow(store, wanted) : ask(store, wanted, wanted.change));
  };
  look();
  const off = store.subscribe(look);
  return () => {
    off();
    end?.();
  };
}

function isSame(a: Wanted | undefined, b: Wanted | undefined): boolean {
  return a?.key === b?.key && a?.path === b?.path && a?.change?.tip === b?.change?.tip;
}

function wantedOf(store: DashboardStore, folder: string): Wanted | undefined {
  const state = store.getState();
  if (state.ui.view !== "ticket" || state.ui.tooSmall) return undefined;
  const target = currentTarget(state);
  const file = target?.file;
  if (target === undefined || file === undefined) return undefined;
  const change = target.change === undefined ? {} : { change: target.change };
  return { key: target.key, folder, path: join(folder, file.path), kind: file.kind, ...change };
}

/** Reads a file into the store. The store is updated once per read that finds new text. */
function follow(store: DashboardStore, { key, folder, path, kind }: Wanted): () => void {
  const text = new LogText(kind, createEventLineReader);
  let version = 0;
  let before: string | undefined;
  const looked = (state: FollowedState, news: boolean): void => {
    const word = typeof state === "string" ? state : state.refused;
    if (!news && word === before) return;
    // A removed file is not shown as if it existed.
    if (state !== "there" && word !== before) text.begin({ skipped: 0 });
    before = word;
    version += 1;
    store.setState({ viewed: { key, text, file: state, version } });
  };
  const by = { begin: (options: { skipped: number }) => text.begin(options), text: (piece: string) => text.push(piece), looked };
  return followFile(path, by, { under: folder });
}

/** Asks git once, because commits do not change. */
function ask(store: DashboardStore, { key, kind }: Wanted, change: CommitRange): () => void {
  let ended = false;
  const show = async (): Promise<void> => {
    // The git code is large, and changes are rarely opened before the first frame.
    const { readChange } = await import("../../adapters/vcs/repository/read-change.ts");
    const read = await readChange({ ...change, maxBytes: CHANGE_BYTES });
    if (ended) return;
    const text = new LogText(kind);
    text.begin({ skipped: 0 });
    if (read.ok) text.push(foldLongLines(read.text));
    // The text keeps its newest lines.
    const shown = read.ok && { change: { commit: read.commit, whole: read.whole && text.lines(true).first === 0 } };
    store.setState({ viewed: { key, text, file: read.ok ? "there" : { refused: read.why }, version: 1, ...shown } });
  };
  void show();
  return () => {
    ended = true;
  };
}
