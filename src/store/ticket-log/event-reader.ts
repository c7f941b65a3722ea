import { type AgentEvent, type AgentTokens, addTokens, type EventLineReader } from "../../domain/run/agent-event.ts";
import { displayLine, displayText } from "../format.ts";
import { STYLES, type Tone } from "../labels/tone.ts";

/** A line that people read; `joins`: it continues the line before. */
interface EventLine {
  readonly text: string;
  readonly tone: Tone;
  readonly joins: boolean;
}

/** The style of a text: its prefix, and its maximum of lines. */
interface TextStyle {
  readonly sign: string;
  readonly tone: Tone;
  readonly most: number;
}

const TEXT: TextStyle = { sign: "", tone: "claim", most: 200 };
const TOOL: TextStyle = { sign: `${STYLES.step.glyph} `, tone: "plain", most: 3 };
const RESULT: TextStyle = { sign: "  ", tone: "waiting", most: 3 };
const ERROR: TextStyle = { sign: `${STYLES.failed.glyph} `, tone: "bad", most: 5 };
const NOTE: TextStyle = { sign: `${STYLES.waits.glyph} `, tone: "waiting", most: 1 };

/** Reads the events that an agent's program prints, one per line. It guesses nothing: an unknown line stays as it is. */
export class EventReader {
  /** True if there was any. */
  seen = false;
  tokens: AgentTokens | undefined;
  readonly #read: EventLineReader;
  #inMessage = false;
  #hasSpoken = false;

  constructor(read: EventLineReader) {
    this.#read = read;
  }

  /** The lines of an event, possibly none; undefined if the line is no event. */
  line(raw: string): readonly EventLine[] | undefined {
    const events = this.#read(raw);
    if (events === undefined) {
      this.#inMessage = false;
      return undefined;
    }
    this.seen = true;
    return events.flatMap((event) => this.#event(event));
  }

  #event(event: AgentEvent): readonly EventLine[] {
    switch (event.what) {
      case "text":
        this.#hasSpoken = true;
        return event.piece === true ? this.#piece(event.text) : this.#whole(TEXT, event.text);
      case "tool":
        return this.#whole(TOOL, event.text);
      case "result":
        return this.#result(event.text, event.failed);
      case "error":
        return this.#whole(ERROR, event.text);
      case "thought":
        return this.#whole(NOTE, `thinks: ${event.text.trim().replaceAll("\n", " ")}`);
      case "note":
      case "retry":
        return this.#whole(NOTE, event.text);
      case "usage":
        return this.#usage(event);
      case "end":
        return event.failure === undefined ? this.#answer(event.end.answer ?? "") : this.#whole(ERROR, event.failure);
      case "message":
      case "compactions-told":
        return [];
      case "compacted":
        return this.#whole(NOTE, "its program has shortened its context");
    }
  }

  /** The answer of an end, if nothing else has told it: some programs print nothing but their end. */
  #answer(answer: string): readonly EventLine[] {
    return this.#hasSpoken || answer.trim() === "" ? [] : this.#whole(TEXT, answer);
  }

  #result(text: string, failed: boolean): readonly EventLine[] {
    if (text.trim() === "") return failed ? this.#whole(ERROR, "it failed without words") : [];
    return this.#whole(failed ? ERROR : RESULT, text);
  }

  /** Usage per step adds up, and is shown once, elsewhere. */
  #usage({ tokens, addsUp }: Extract<AgentEvent, { what: "usage" }>): readonly EventLine[] {
    this.tokens = addsUp ? addTokens(this.tokens, tokens) : tokens;
    return addsUp ? [] : this.#whole(NOTE, `tokens: ${tokenCounts(tokens, String)}`);
  }

  #whole({ sign, tone, most }: TextStyle, text: string): readonly EventLine[] {
    this.#inMessage = false;
    const indent = " ".repeat(sign.length);
    const { lines, left } = takeLines(text.trim().split("\n"), most);
    const shown = lines.map((line, i) => ({ text: `${i === 0 ? sign : indent}${displayLine(line)}`, tone, joins: false }));
    return [...shown, ...leftLine(left, indent)];
  }

  /** A piece keeps its spaces: they separate its words from those of the next. */
  #piece(text: string): readonly EventLine[] {
    const joins = this.#inMessage;
    this.#inMessage = true;
    const { lines, left } = takeLines(text.split("\n"), TEXT.most);
    const shown = lines.map((line, i) => ({ text: pieceText(line), tone: TEXT.tone, joins: joins && i === 0 }));
    return [...shown, ...leftLine(left, "")];
  }
}

/** Counts of tokens for people. */
export function tokenCounts({ input, output, cacheRead, cacheWrite }: AgentTokens, format: (count: number) => string): string {
  return `${format(input)} in, ${format(output)} out, ${format(cacheRead + cacheWrite)} from the cache`;
}

function takeLines(all: readonly string[], most: number): { readonly lines: readonly string[]; readonly left: number } {
  const lines = all.length > most ? all.slice(0, most - (most > 1 ? 1 : 0)) : all;
  return { lines, left: all.length - lines.length };
}

function leftLine(left: number, indent: string): readonly EventLine[] {
  return left === 0 ? [] : [{ text: `${indent}… +${left} lines`, tone: "waiting", joins: false }];
}

function pieceText(line: string): string {
  const [before = ""] = /^ */.exec(line) ?? [];
  const after = line.trim() === "" ? "" : (/(?<! ) *$/.exec(line)?.[0] ?? "");
  return `${before}${displayText(line)}${after}`;
}
