import type { AgentEvent } from "../../domain/run/agent-event.ts";

/** Characters of one text that is shown. */
const SHOWN_CHARS = 500;
/** Characters of its last message that are kept; longer than any model answers. */
const MOST_CHARS = 1_000_000;

/** Turns the events of one process of an agent's program, in order, into lines for people. Lines are raw: not yet safe for a terminal. */
export class ActivityLines {
  /** The last message, which may come in pieces. */
  #message = "";
  #isShown = true;
  #hasSpoken = false;

  /** The program's last message, whole; empty if there is none. */
  get message(): string {
    return this.#message;
  }

  /** The lines of an event, possibly none. */
  event(event: AgentEvent): readonly string[] {
    switch (event.what) {
      case "text":
        return this.#text(event.text, event.piece === true);
      case "message":
        this.#message = "";
        this.#isShown = true;
        return [];
      case "tool":
      case "error":
        return [...this.#said(), shown(event.text)];
      case "retry":
        return [shown(event.text)];
      case "end":
        return [...this.#said(), ...this.#answer(event)];
      default:
        return [];
    }
  }

  /** The answer, if nothing else has told it: some programs print nothing but their end. */
  #answer({ end, failure }: Extract<AgentEvent, { what: "end" }>): readonly string[] {
    const answer = this.#hasSpoken || failure !== undefined ? "" : shown(end.answer ?? "");
    return answer === "" ? [] : [answer];
  }

  #text(text: string, isPiece: boolean): readonly string[] {
    this.#hasSpoken = true;
    const joint = isPiece || this.#message === "" ? "" : "\n";
    if (this.#message.length < MOST_CHARS) this.#message += joint + text.slice(0, MOST_CHARS);
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
export function shown(text: string): string {
  const flat = text
    .slice(0, SHOWN_CHARS * 4)
    .replace(/\s+/g, " ")
    .trim();
  return flat.length <= SHOWN_CHARS ? flat : `${flat.slice(0, SHOWN_CHARS)}…`;
}
