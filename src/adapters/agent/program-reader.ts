import { type AgentEnd, type AgentEvent, type AgentStop, type AgentTokens, addTokens } from "../../domain/run/agent-event.ts";
import { type EventParser, NO_WORDS, readEvent } from "./event-format.ts";

/** Characters of one text that is shown. */
const SHOWN_CHARS = 500;
/** Characters of its last message that are kept; longer than any model answers. */
const MOST_CHARS = 1_000_000;
const NO_RESULT: AgentStop = { kind: "unfinished", says: "it ended without a result" };

/** The end of a program by its own account. */
export interface ProgramEnd {
  /** Absent if it reports that it finished. */
  readonly stop?: AgentStop;
  /** Dollars by its own account; null if it gives none. */
  readonly costUsd: number | null;
  readonly tokens?: AgentTokens;
}

/** Reads the output of one process of a vendor's program, and keeps the facts that the engine needs. */
export class ProgramReader {
  readonly #parse: EventParser;
  readonly #exitStops: Readonly<Record<number, AgentStop>>;
  readonly #onEvent: ((event: AgentEvent) => void) | undefined;
  #fatal: AgentStop | undefined;
  #end: AgentEnd | undefined;
  #waitMs: number | undefined;
  #tokens: AgentTokens | undefined;
  /** Its last message, which may come in pieces. */
  #message = "";
  #isShown = true;

  /** `exitStops`: the stops that exit codes report and the program's events do not. */
  constructor(parse: EventParser, exitStops: Readonly<Record<number, AgentStop>> = {}, onEvent?: (event: AgentEvent) => void) {
    this.#parse = parse;
    this.#exitStops = exitStops;
    this.#onEvent = onEvent;
  }

  /** Reads one line of stdout; gives its lines for people, raw. A line that cannot be read gives none. */
  line(text: string): readonly string[] {
    const event = readEvent(text);
    return event === undefined ? [] : this.#parse(event).flatMap((each) => this.#take(each));
  }

  /** Set as soon as continuing is known to be useless: then the process is ended. */
  get fatal(): AgentStop | undefined {
    return this.#fatal;
  }

  /** The end of the process. It finished only if it reports so and its exit code is 0. */
  end(exitCode: number | null): ProgramEnd {
    const end = this.#end;
    const known = { costUsd: end?.costUsd ?? null, ...(this.#tokens === undefined ? {} : { tokens: this.#tokens }) };
    const stop = this.#fatal ?? (exitCode === null ? undefined : this.#exitStops[exitCode]) ?? this.#stopOf(exitCode);
    return stop === undefined ? known : { ...known, stop: { ...stop, says: shown(stop.says) || NO_WORDS } };
  }

  /** Its last message, whole and raw; empty if there is none. It counts only if `end` has no stop. */
  get answer(): string {
    return this.#end?.answer ?? this.#message;
  }

  #stopOf(exitCode: number | null): AgentStop | undefined {
    const end = this.#end;
    if (end === undefined) return NO_RESULT;
    if (end.finished && exitCode === 0) return undefined;
    return { ...(this.#waitMs === undefined ? {} : { retryAfterMs: this.#waitMs }), ...end.stop };
  }

  #take(event: AgentEvent): readonly string[] {
    this.#onEvent?.(event);
    switch (event.what) {
      case "text":
        return this.#text(event.text, event.piece === true);
      case "message":
        this.#message = "";
        this.#isShown = true;
        return [];
      case "tool":
        return [...this.#said(), shown(event.text)];
      case "error":
        this.#fatal = event.stop ?? this.#fatal;
        return [...this.#said(), shown(event.text)];
      case "retry":
        this.#fatal = event.stop ?? this.#fatal;
        this.#waitMs = event.waitMs ?? this.#waitMs;
        return [shown(event.text)];
      case "usage":
        this.#tokens = event.addsUp ? addTokens(this.#tokens, event.tokens) : event.tokens;
        return [];
      case "end":
        this.#end = event.end;
        return this.#said();
      default:
        return [];
    }
  }

  #text(text: string, isPiece: boolean): readonly string[] {
    const joint = isPiece || this.#message === "" ? "" : "\n";
    this.#message = (this.#message + joint + text).slice(0, MOST_CHARS);
    this.#isShown = !isPiece;
    return isPiece ? [] : [shown(text)];
  }

  /** The pieces of text since the last shown one, as one line. */
  #said(): readonly string[] {
    if (this.#isShown || this.#message.trim() === "") return [];
    this.#isShown = true;
    return [shown(this.#message)];
  }
}

/** The first lines of a text as one, bounded: an agent's texts are long, and only the beginning is shown. */
function shown(text: string): string {
  const flat = text
    .slice(0, SHOWN_CHARS * 4)
    .replace(/\s+/g, " ")
    .trim();
  return flat.length <= SHOWN_CHARS ? flat : `${flat.slice(0, SHOWN_CHARS)}…`;
}
