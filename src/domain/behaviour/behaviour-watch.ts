import type { ActionEffect } from "@loopdash/guard";
import type { BehaviourSpec } from "../batch/behaviour-spec.ts";
import type { AgentEvent } from "../run/agent-event.ts";
import { plainText, plural } from "../values/text.ts";
import { actionEffect } from "./action-effect.ts";
import { BoundedMap } from "./bounded-map.ts";
import { relevanceGate, topFolder } from "./relevance.ts";
import { hasFailed, isMissing, sameness } from "./result-signs.ts";
import type { Gate, GateName, Signals } from "./signals.ts";

export interface WatchOptions {
  readonly thresholds: BehaviourSpec;
  /** True for a path that no change may touch; relative to the worktree. */
  readonly isProtected: (path: string) => boolean;
  /** True for a path in a danger zone; default: none is. */
  readonly isZone?: (path: string) => boolean;
  /** The absolute paths of the worktree, as programs may see it. */
  readonly roots: readonly string[];
  /** Rules of the repository that were there at the base and are gone; default: none. */
  readonly lostRules?: readonly string[];
}

/** Entries that each of the maps keeps; the oldest goes first. */
const KEPT = 256;
const KEPT_CALLS = 64;
const KEPT_RULES = 64;
/** Paths of each kind that are kept for the reasons. */
const LISTED = 64;
const NAME_CHARS = 100;

interface Call {
  readonly effect: ActionEffect;
  /** What it is, for comparison with others, and for people. */
  readonly sign: string;
  readonly name: string;
  readonly isShell: boolean;
}

/**
 * Derives the five signals from an agent's events, one at a time, in time and memory that do not grow with the attempt. A level never
 * falls: it tells what has happened, and not what happens now. What the events leave open stays unknown.
 */
export class BehaviourWatch {
  readonly #options: WatchOptions;
  #knowsTools = false;
  #knowsCompactions = false;
  /** Calls whose result has not come. Programs that name no calls use one tool at a time. */
  readonly #calls = new BoundedMap<string, Call>(KEPT_CALLS);
  readonly #missing = new BoundedMap<string, true>(KEPT);
  #missingCount = 0;
  readonly #protected = new Set<string>();
  readonly #zones = new Set<string>();
  readonly #folders = new Set<string>();
  /** Counts results: the time of this watch. */
  #now = 0;
  #failedAt = -1;
  readonly #edits = new BoundedMap<string, { readonly at: number; readonly again: number }>(KEPT);
  #mostEdited: { readonly path: string; readonly again: number } | undefined;
  #compactions = 0;
  readonly #blocked = new BoundedMap<string, number>(KEPT_RULES);
  #mostBlocked: { readonly rule: string; readonly again: number } | undefined;
  #idle = 0;
  #mostIdle = 0;
  readonly #repeats = new BoundedMap<string, { readonly result: string; readonly again: number }>(KEPT);
  #mostRepeated: { readonly name: string; readonly again: number } | undefined;
  /** The failed gates whose agent was told, as they were then: they are counted anew. */
  readonly #told = new Map<GateName, Gate>();

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  /** Takes the next event. True if the signals may have changed. */
  take(event: AgentEvent): boolean {
    switch (event.what) {
      case "tool":
        return this.#begin(event);
      case "result":
        return this.#end(event);
      case "compactions-told":
        this.#knowsCompactions = true;
        return true;
      case "compacted":
        this.#knowsCompactions = true;
        this.#compactions += 1;
        return true;
      default:
        return false;
    }
  }

  /** Takes a rule that kept the agent from something. Only the second time and later ones of one rule count: it was told then. */
  blocked(rule: string): void {
    const again = (this.#blocked.get(rule) ?? -1) + 1;
    this.#blocked.set(rule, again);
    if (again > (this.#mostBlocked?.again ?? 0)) this.#mostBlocked = { rule, again };
  }

  get signals(): Signals {
    const counted = this.#counted();
    const told = [...this.#told].filter(([gate]) => counted[gate].level !== "fail");
    return { ...counted, ...Object.fromEntries(told) };
  }

  #counted(): Signals {
    return {
      exist: this.#exist(),
      relevance: this.#relevance(),
      rootCause: this.#rootCause(),
      recall: this.#recall(),
      momentum: this.#momentum(),
    };
  }

  /** Counts a failed gate anew, because its agent has been told about it. */
  countAnew(gate: GateName): void {
    this.#told.set(gate, this.signals[gate]);
    switch (gate) {
      case "exist":
        this.#missingCount = 0;
        return;
      case "relevance":
        this.#protected.clear();
        return;
      case "rootCause":
        this.#mostEdited = undefined;
        return this.#edits.clear();
      case "recall":
        this.#compactions = 0;
        this.#mostBlocked = undefined;
        return this.#blocked.clear();
      case "momentum":
        this.#idle = 0;
        this.#mostIdle = 0;
        this.#mostRepeated = undefined;
        return this.#repeats.clear();
    }
  }

  /** The gates that have failed again although their agent was told. */
  get failedAgain(): ReadonlySet<GateName> {
    const counted = this.#counted();
    return new Set([...this.#told.keys()].filter((gate) => counted[gate].level === "fail"));
  }

  /** The figure by which a failed gate has failed. */
  count(gate: GateName): number {
    const { lostRules = [], thresholds } = this.#options;
    const again = this.#mostRepeated?.again ?? 0;
    switch (gate) {
      case "exist":
        return lostRules.length || this.#missingCount;
      case "relevance":
        return this.#protected.size;
      case "rootCause":
        return this.#mostEdited?.again ?? 0;
      case "recall":
        return this.#compactions >= thresholds.compactions.fail ? this.#compactions : (this.#mostBlocked?.again ?? 0);
      case "momentum":
        return again >= thresholds.repeats.fail ? again + 1 : this.#mostIdle;
    }
  }

  #begin({ action, call = "", text }: Extract<AgentEvent, { what: "tool" }>): boolean {
    if (action === undefined) return false;
    const isFirst = !this.#knowsTools;
    this.#knowsTools = true;
    const range = action.does === "read" ? (action.range ?? "") : "";
    const command = action.does === "run" ? action.command : text;
    this.#calls.set(call, {
      effect: actionEffect(action),
      sign: sameness(`${command} ${range}`),
      name: plainText(text.slice(0, NAME_CHARS * 4), NAME_CHARS),
      isShell: action.does === "run",
    });
    return isFirst;
  }

  #end(event: Extract<AgentEvent, { what: "result" }>): boolean {
    const call = this.#calls.take(event.call ?? "");
    if (call === undefined) return false;
    this.#now += 1;
    const { effect } = call;
    const failed = hasFailed(event, effect);
    const hasChanged = effect.edits.length > 0 && !failed;
    if (isMissing(event, call)) this.#countMissing(effect);
    if (hasChanged) for (const path of effect.edits) this.#edited(path);
    if (failed && effect.runs) this.#failedAt = this.#now;
    this.#countMomentum(call, hasChanged, event.text);
    return true;
  }

  #countMissing({ edits, reads }: ActionEffect): void {
    // A text that is not in a file is another one each time; a file is missing once, however often it is asked for.
    const key = edits.length > 0 ? `${this.#now} ${edits.join(" ")}` : reads.map((path) => this.#relative(path)).join(" ");
    if (this.#missing.get(key) !== undefined) return;
    this.#missing.set(key, true);
    this.#missingCount += 1;
  }

  #edited(raw: string): void {
    const path = this.#relative(raw);
    const before = this.#edits.get(path);
    const again = (before?.again ?? 0) + (before !== undefined && this.#failedAt > before.at ? 1 : 0);
    this.#edits.set(path, { at: this.#now, again });
    if (again > (this.#mostEdited?.again ?? 0)) this.#mostEdited = { path, again };
    // What is elsewhere is no part of the change.
    if (path.startsWith("/") || path.startsWith("../")) return;
    if (this.#options.isProtected(path)) addBounded(this.#protected, path);
    if (this.#options.isZone?.(path) === true) addBounded(this.#zones, path);
    const folder = topFolder(path);
    if (folder !== undefined) addBounded(this.#folders, folder);
  }

  #countMomentum({ effect, sign, name }: Call, hasChanged: boolean, result: string): void {
    this.#idle = hasChanged || effect.runs ? 0 : this.#idle + 1;
    this.#mostIdle = Math.max(this.#mostIdle, this.#idle);
    // After a change, the same command may well be useful again.
    if (hasChanged) return this.#repeats.clear();
    const before = this.#repeats.get(sign);
    const now = sameness(result);
    const again = before?.result === now ? before.again + 1 : 0;
    this.#repeats.set(sign, { result: now, again });
    if (again > (this.#mostRepeated?.again ?? 0)) this.#mostRepeated = { name, again };
  }

  #relative(path: string): string {
    const root = this.#options.roots.find((each) => path === each || path.startsWith(`${each}/`));
    return normalized(root === undefined ? path : path.slice(root.length + 1));
  }

  #exist(): Gate {
    const { lostRules = [], thresholds } = this.#options;
    if (lostRules.length > 0)
      return {
        level: "fail",
        why: `${plural(lostRules.length, "rule")} of the base ${lostRules.length === 1 ? "is" : "are"} gone`,
      };
    if (!this.#knowsTools) return { level: "skip" };
    return grade(
      this.#missingCount,
      thresholds.missing,
      `asked for ${plural(this.#missingCount, "file or text", "files or texts")} that are not there`,
    );
  }

  #relevance(): Gate {
    if (!this.#knowsTools) return { level: "skip" };
    const touched = { protectedPaths: [...this.#protected], zones: [...this.#zones], folders: [...this.#folders] };
    return relevanceGate(touched, this.#options.thresholds);
  }

  #rootCause(): Gate {
    if (!this.#knowsTools) return { level: "skip" };
    const { path = "", again = 0 } = this.#mostEdited ?? {};
    const why = `edited ${plainText(path, NAME_CHARS)} again after ${plural(again, "failed command")}`;
    return grade(again, this.#options.thresholds.editsAfterFailure, why);
  }

  #recall(): Gate {
    const { compactions, blockedAgain } = this.#options.thresholds;
    const { rule = "", again = 0 } = this.#mostBlocked ?? {};
    const blocked = grade(again, blockedAgain, `broke a rule again, ${plural(again, "time")}: ${plainText(rule, NAME_CHARS)}`);
    const compacted = grade(this.#compactions, compactions, `its context was shortened ${plural(this.#compactions, "time")}`);
    if (compacted.level === "fail" || blocked.level === "pass") {
      const isKnown = this.#knowsCompactions || this.#mostBlocked !== undefined;
      return isKnown ? compacted : { level: "skip" };
    }
    return blocked.level === "fail" || compacted.level === "pass" ? blocked : compacted;
  }

  #momentum(): Gate {
    if (!this.#knowsTools) return { level: "skip" };
    const { idle, repeats } = this.#options.thresholds;
    const { name = "", again = 0 } = this.#mostRepeated ?? {};
    const repeated = grade(again, repeats, `had the same result ${again + 1} times, with no change in between: ${name}`);
    const wandered = grade(this.#mostIdle, idle, `${this.#mostIdle} actions in a row that changed and ran nothing`);
    if (repeated.level === "fail") return { ...repeated, isLoop: true };
    if (wandered.level === "pass") return repeated;
    return wandered.level === "fail" || repeated.level === "pass" ? wandered : repeated;
  }
}

function grade(count: number, { warn, fail }: { readonly warn: number; readonly fail: number }, why: string): Gate {
  if (count < warn) return { level: "pass" };
  return { level: count >= fail ? "fail" : "warn", why };
}

function addBounded(set: Set<string>, value: string): void {
  if (set.size < LISTED) set.add(value);
}

/** A path without "." and "..", as far as its words tell. */
function normalized(path: string): string {
  if (!/(?:^|\/)\.{0,2}(?:\/|$)/.test(path)) return path;
  const kept: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && kept.length > 0 && kept.at(-1) !== "..") kept.pop();
    else kept.push(part);
  }
  return `${path.startsWith("/") ? "/" : ""}${kept.join("/")}`;
}
