import { type AgentEnd, type AgentEvent, type AgentStop, type AgentTokens, addTokens } from "../../domain/run/agent-event.ts";
import { ActivityLines, shown } from "./activity-lines.ts";
import { type EventParser, NO_WORDS, readEvent } from "./event-format.ts";

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
  readonly #lines = new ActivityLines();

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
    const known = { costUsd: end?.costUsd ?? null, tokens: this.#tokens };
    const stop = this.#fatal ?? (exitCode === null ? undefined : this.#exitStops[exitCode]) ?? this.#programStop(exitCode);
    return stop === undefined ? known : { ...known, stop: { ...stop, says: shown(stop.says) || NO_WORDS } };
  }

  /** Its last message, whole and raw; empty if there is none. It counts only if `end` has no stop. */
  get answer(): string {
    return this.#end?.answer ?? this.#lines.message;
  }

  #programStop(exitCode: number | null): AgentStop | undefined {
    const end = this.#end;
    if (end === undefined) return NO_RESULT;
    if (end.finished && exitCode === 0) return undefined;
    return { ...(this.#waitMs === undefined ? {} : { retryAfterMs: this.#waitMs }), ...end.stop };
  }

  #take(event: AgentEvent): readonly string[] {
    this.#onEvent?.(event);
    this.#keep(event);
    return this.#lines.event(event);
  }

  #keep(event: AgentEvent): void {
    if (event.what === "error" || event.what === "retry") this.#fatal = event.stop ?? this.#fatal;
    if (event.what === "retry") this.#waitMs = event.waitMs ?? this.#waitMs;
    if (event.what === "usage") this.#tokens = event.addsUp ? addTokens(this.#tokens, event.tokens) : event.tokens;
    if (event.what === "end") this.#end = event.end;
  }
}
