import type { RunId, TicketId } from "../../domain/values/ids.ts";
import type { DashboardState } from "../dashboard-state.ts";
import { selectedRunIndex } from "../run-list.ts";
import { targetOf } from "../ticket-log/target.ts";
import type { Pick, TicketTab } from "../views/ticket.ts";
import type { ViewName } from "../views/view-name.ts";
import type { Effect } from "./binding.ts";
import { hint, ui } from "./effects.ts";
import { keyLabel } from "./key-labels.ts";
import { KEYMAP, modeOf } from "./keymap.ts";

/** What a mouse did, and in which cell: column and row from 0. */
export interface MousePress {
  readonly what: "click" | "wheel-up" | "wheel-down";
  readonly column: number;
  readonly row: number;
}

/** What lies under a cell of the screen. */
export type MouseTarget =
  | { readonly on: "ticket"; readonly id: TicketId }
  | { readonly on: "binding"; readonly name: string }
  | { readonly on: "view"; readonly view: ViewName }
  | { readonly on: "palette"; readonly at: number }
  | { readonly on: "run"; readonly run: RunId }
  | { readonly on: "tab"; readonly tab: TicketTab }
  /** A try of the ticket that is looked at, or a step of one. */
  | { readonly on: "step"; readonly pick: Pick }
  | { readonly on: "nothing" };

/** Rows that one turn of the wheel goes over. */
const WHEEL_ROWS = 3;

/** How often what a mouse did is done. */
export function timesOf({ what }: MousePress): number {
  return what === "click" ? 1 : WHEEL_ROWS;
}

/** What the reader looks for: a report of a terminal in SGR mode (1006), or a mark around what was pasted. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape that they begin with
const SEQUENCE = /\u001b\[(?:<(\d{1,3});(\d{1,4});(\d{1,4})([Mm])|(20[01])~)/g;
/** The beginning of one, at the end of what has come so far. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape that they begin with
const BEGINNING = /\u001b(?:\[(?:<[\d;]{0,14}|20?[01]?)?)?$/;
const LEFT = 0;
const WHEEL_UP = 64;
const WHEEL_DOWN = 65;

/** A report of the mode before that one (1000 alone), all that some terminals have: what stands for button and cell is no text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape that they begin with
const OLD_REPORT = /\u001b\[M([^\u001b]{2,3})/g;

/**
 * Finds what a mouse did in what a terminal sends. Ink gives away no sequence that is not a key, so this reads beside it. What is
 * pasted between marks is no mouse.
 */
export class MouseReader {
  #rest = "";
  #pasting = false;
  /** Whether more of the rest than its escape has come at once: no hand does that. */
  #torn = false;
  /** What of the last piece of input is part of a sequence, and Ink may give as if it had been typed. */
  #pieces: readonly string[] = [];

  /** What the mouse did in this piece of input, in its order. */
  push(input: string): readonly MousePress[] {
    const before = this.#rest.length;
    const text = this.#rest + input;
    const found = [...text.matchAll(SEQUENCE)];
    this.#rest = BEGINNING.exec(text)?.[0] ?? "";
    const own = this.#rest.slice(-input.length);
    this.#torn = own.length > 1 || (this.#torn && this.#rest.length > own.length);
    const ends = found.filter(({ index }) => index < before).map(({ 0: whole, index }) => whole.slice(before - index));
    const old = [...text.matchAll(OLD_REPORT)].map(([, cell = ""]) => cell);
    this.#pieces = [...ends, ...old, ...(this.#torn ? [own.replace("\u001b", "")] : [])];
    return found.flatMap(([, button, column, row, end, mark]) => {
      if (mark !== undefined) this.#pasting = mark === "200";
      const what = end === "M" && !this.#pasting ? whatOf(Number(button)) : undefined;
      const cell = { column: Number(column) - 1, row: Number(row) - 1 };
      return what === undefined || cell.column < 0 || cell.row < 0 ? [] : [{ what, ...cell }];
    });
  }

  /**
   * What was really typed of a text that Ink gives for the last piece of input: Ink waits 20 ms for the rest of a sequence that a slow
   * line has torn, and then gives its parts as text.
   */
  typed(text: string): string {
    const at = this.#pieces.findIndex((piece) => text.startsWith(piece));
    const length = this.#pieces[at]?.length ?? 0;
    this.#pieces = this.#pieces.filter((_, i) => i !== at);
    return text.slice(length);
  }
}

function whatOf(button: number): MousePress["what"] | undefined {
  if (button === LEFT) return "click";
  if (button === WHEEL_UP) return "wheel-up";
  return button === WHEEL_DOWN ? "wheel-down" : undefined;
}

/**
 * What the mouse does once on `target`: what a key would do there. Whatever confirms something takes a key: text that is pasted can
 * look like a mouse, and a click is made by mistake too easily.
 */
export function mouseEffects(state: DashboardState, { what }: MousePress, target: MouseTarget): readonly Effect[] {
  if (what !== "click") return byName(state, arrowName(state, what === "wheel-down" ? "down" : "up"));
  switch (target.on) {
    case "ticket":
      return state.ui.selected === target.id ? byName(state, "open") : ui({ type: "select", ticket: target.id });
    case "view":
      return ui({ type: "view", view: target.view });
    case "palette":
      return ui({ type: "palette-to", at: target.at });
    case "run":
      return state.runList?.[selectedRunIndex(state)]?.run === target.run
        ? byName(state, "show-run")
        : ui({ type: "runs-view", action: { type: "to", run: target.run } });
    case "tab":
      return ui({ type: "ticket-view", action: { type: "tab", tab: target.tab } });
    case "step":
      return isChosen(state, target.pick)
        ? byName(state, "step-open")
        : ui({ type: "ticket-view", action: { type: "pick", pick: target.pick } });
    case "binding":
      return byName(state, target.name);
    case "nothing":
      return [];
  }
}

/** Whether it is the step that is looked at; without a try, that of the newest is meant. */
function isChosen(state: DashboardState, { n, step }: Pick): boolean {
  const now = targetOf(state);
  return step !== undefined && now?.entry?.step === step && now.life.n === (n ?? now.lives.at(-1)?.n);
}

/** The binding that an arrow has in the mode in front, as loopdash comes: what a wheel does, wherever a person has bound it. */
function arrowName(state: DashboardState, arrow: "down" | "up"): string {
  return KEYMAP[modeOf(state)].find(({ keys }) => keys.includes(arrow))?.name ?? "";
}

function byName(state: DashboardState, name: string): readonly Effect[] {
  const binding = state.keymap[modeOf(state)].find((b) => b.name === name);
  if (binding === undefined) return [];
  if (binding.confirms === true) return hint(state, `press ${keyLabel(binding.keys[0] ?? "")} for that`);
  return binding.act(state);
}
