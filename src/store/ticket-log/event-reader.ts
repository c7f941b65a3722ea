import { displayLine, displayText } from "../display-text.ts";
import type { Tone } from "../labels/tone.ts";
import { agentEvent, type Tokens, type ToldEvent } from "./vendor-events.ts";

/** A line that people read; `joins`: it goes on in the line before. */
interface EventLine {
  readonly text: string;
  readonly tone: Tone;
  readonly joins: boolean;
}

const LOOK: Readonly<Record<ToldEvent["what"], { readonly sign: string; readonly tone: Tone; readonly most: number }>> = {
  text: { sign: "", tone: "claim", most: 200 },
  tool: { sign: "▸ ", tone: "plain", most: 3 },
  result: { sign: "  ", tone: "waiting", most: 3 },
  error: { sign: "✖ ", tone: "bad", most: 5 },
  note: { sign: "· ", tone: "waiting", most: 1 },
};

/** Reads the events that an agent's program prints, one a line. It guesses nothing: what is no event that it knows stays as it is. */
export class EventReader {
  /** Whether there was any. */
  seen = false;
  tokens: Tokens | undefined;
  #inMessage = false;

  /** The lines that an event reads as, which may be none; undefined where the line is no event. */
  line(raw: string): readonly EventLine[] | undefined {
    const event = raw.trimStart().startsWith("{") ? agentEvent(raw) : undefined;
    if (event === undefined) {
      this.#inMessage = false;
      return undefined;
    }
    this.seen = true;
    if (event.tokens !== undefined) this.tokens = event.adds === true ? added(this.tokens, event.tokens) : event.tokens;
    return event.told.flatMap((told) => this.#lines(told));
  }

  #lines({ what, text, piece }: ToldEvent): readonly EventLine[] {
    const { sign, tone, most } = LOOK[what];
    const joins = piece === true && this.#inMessage;
    this.#inMessage = piece === true;
    const all = piece === true ? text.split("\n") : text.trim().split("\n");
    const shown = all.length > most ? all.slice(0, most - (most > 1 ? 1 : 0)) : all;
    const left = all.length - shown.length;
    const indent = " ".repeat(sign.length);
    // A piece keeps its spaces: they stand between its words and those of the next.
    const clean = (line: string): string => (piece === true ? pieceText(line) : displayLine(line));
    const lines = shown.map((line, i) => ({
      text: `${joins ? "" : i === 0 ? sign : indent}${clean(line)}`,
      tone,
      joins: joins && i === 0,
    }));
    return left === 0 ? lines : [...lines, { text: `${indent}… +${left} lines`, tone: "waiting", joins: false }];
  }
}

function pieceText(line: string): string {
  const [before = ""] = /^ */.exec(line) ?? [];
  const after = line.trim() === "" ? "" : (/ *$/.exec(line)?.[0] ?? "");
  return `${before}${displayText(line)}${after}`;
}

function added(a: Tokens | undefined, b: Tokens): Tokens {
  return a === undefined ? b : { input: a.input + b.input, output: a.output + b.output, cached: a.cached + b.cached };
}
