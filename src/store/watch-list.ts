import { compareNeeds, describeBlocked, type Need } from "../domain/schedule/needs.ts";
import { plural } from "../domain/values/text.ts";
import { displayText, formatAge } from "./format.ts";
import { type Label, STYLES, type Style } from "./labels/tone.ts";

/** What a run needs of a person, as `loopdash runs --json` tells it, also of a machine with another version. */
export type WatchedNeed = Pick<Need, "says" | "since"> & {
  readonly kind: string;
  readonly ticket?: string;
  readonly blocks: readonly string[];
};

/** A run of some machine. Times in milliseconds since the epoch. */
export interface WatchedRun {
  /** The machine as ssh knows it; absent: this one. */
  readonly host?: string;
  readonly run: string;
  readonly live: boolean;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly verdict?: string;
  readonly needs: readonly WatchedNeed[];
}

/** A machine: its runs as they were last read, and why they cannot be read now. */
export interface Machine {
  readonly host?: string;
  /** Absent until it has answered once. */
  readonly runs?: readonly WatchedRun[];
  readonly problem?: string;
}

/** A row of the list: what needs a person, a machine that does not answer, or a run. */
export interface WatchRow extends Style {
  readonly key: string;
  /** Absent for a machine. */
  readonly run?: WatchedRun;
  /** The machine and the run. */
  readonly where: readonly string[];
  readonly text: string;
  /** How long it lasts: `4m`. */
  readonly age: string;
}

export interface WatchList {
  /** The first line: one word, and what it counts. */
  readonly head: Style & { readonly word: string; readonly text: string };
  readonly needs: readonly WatchRow[];
  readonly runs: readonly WatchRow[];
}

/** Runs that ended longer ago are not listed, and done ones need nobody any more. Milliseconds. */
const LONG_AGO_MS = 24 * 3_600_000;

/** The list at `now`: what most tickets wait for comes first, then what has waited longest; runs at work come before others, newest first. */
export function watchList(machines: readonly Machine[], now: number): WatchList {
  const all = machines.flatMap(({ runs = [] }) => runs);
  const needs = all.flatMap((run) => run.needs.map((need) => ({ run, need }))).toSorted((a, b) => compareNeeds(a.need, b.need));
  const away = machines.flatMap((machine) => (machine.problem === undefined ? [] : [awayRow(machine, machine.problem)]));
  const listed = all
    .filter((run) => isListed(run, now))
    .toSorted((a, b) => Number(b.live) - Number(a.live) || b.startedAt - a.startedAt);
  const isUnread = machines.some(({ runs, problem }) => runs === undefined && problem === undefined);
  return {
    head: headOf(needs.length, { atWork: all.filter(({ live }) => live).length, away: away.length, isUnread }),
    needs: needs.map(({ run, need }) => needRow(run, need, now)),
    runs: [...away, ...listed.map((run) => runRow(run, now))],
  };
}

/** True for a run that works, is unfinished, needs a person, or ended lately. */
export function isListed({ needs, ...run }: WatchedRun, now: number): boolean {
  return run.live || needs.length > 0 || isRecent(run, now);
}

/** True for a run that has not ended, or ended within a day. */
export function isRecent({ endedAt }: Pick<WatchedRun, "endedAt">, now: number): boolean {
  return endedAt === undefined || now - endedAt < LONG_AGO_MS;
}

function headOf(
  needs: number,
  { atWork, away, isUnread }: { readonly atWork: number; readonly away: number; readonly isUnread: boolean },
): WatchList["head"] {
  const work = `${plural(atWork, "run")} at work`;
  // Of a machine that does not answer nobody knows whether it needs a person.
  const unknown = away > 0 ? ` · ${plural(away, "machine")} away` : isUnread ? " · asking…" : "";
  if (needs > 0) return { ...STYLES.needsYou, word: "NEEDS YOU", text: `${needs} · ${work}${unknown}` };
  if (unknown !== "") return { ...STYLES.unknown, word: "UNKNOWN", text: `${work}${unknown}` };
  return atWork > 0
    ? { ...STYLES.run, word: "RUNNING", text: `nothing needs you · ${work}` }
    : { ...STYLES.done, word: "IDLE", text: "nothing needs you, and no run is at work" };
}

function needRow(run: WatchedRun, need: WatchedNeed, now: number): WatchRow {
  const what = need.ticket ?? need.kind;
  const text = [`${what}: ${need.says}`, describeBlocked(need)].filter(Boolean).join(" · ");
  return {
    ...STYLES.needsYou,
    key: `need ${run.host ?? ""} ${run.run} ${need.kind} ${need.ticket ?? need.says}`,
    run,
    where: place(run.host, run.run),
    text: displayText(text),
    age: need.since === undefined ? "" : formatAge(now - need.since),
  };
}

function runRow(run: WatchedRun, now: number): WatchRow {
  const { endedAt, startedAt, needs } = run;
  const { word, ...style } = standing(run);
  return {
    ...style,
    key: `run ${run.host ?? ""} ${run.run}`,
    run,
    where: place(run.host, run.run),
    text: displayText(needs.length === 0 ? word : `${word} · ${needs.length === 1 ? "1 needs you" : `${needs.length} need you`}`),
    age: formatAge((endedAt ?? now) - startedAt),
  };
}

function standing({ live, endedAt, verdict }: WatchedRun): Label {
  if (live) return { ...STYLES.run, word: "at work" };
  if (endedAt === undefined) return { ...STYLES.cutOff, word: "unfinished" };
  if (verdict === "done") return { ...STYLES.done, word: "done" };
  return { ...STYLES.failed, word: verdict === "not-done" ? "not done" : (verdict ?? "ended") };
}

function awayRow({ host = "this machine" }: Machine, problem: string): WatchRow {
  return { ...STYLES.unknown, key: `machine ${host}`, where: place(host), text: displayText(problem), age: "" };
}

function place(host: string | undefined, ...names: readonly string[]): readonly string[] {
  return [...(host === undefined ? [] : [host]), ...names].map(displayText);
}

/** The list as lines of text. */
export function watchLines({ head, needs, runs }: WatchList): readonly string[] {
  const line = ({ glyph, where, text, age }: WatchRow): string =>
    `  ${glyph} ${[...where, text].join("  ")}${age === "" ? "" : `  (${age})`}`;
  return [
    `${head.glyph} ${head.word}  ${head.text}`,
    ...needs.map(line),
    ...(runs.length === 0 ? [] : ["runs"]),
    ...runs.map(line),
  ];
}
