import type { TicketId } from "../../domain/values/ids.ts";
import type { Binding, DashboardState } from "../dashboard-state.ts";
import { displayText } from "../format.ts";
import type { Effect, Mode } from "./binding.ts";
import { selectedIn, ui } from "./effects.ts";
import { allKeyLabels, keyLabel } from "./key-labels.ts";
import { RUN_KEYS } from "./run-keys.ts";

/** One command that the palette offers. */
export interface Offer {
  /** Its name for people: `kill T-4`. */
  readonly name: string;
  readonly help: string;
  /** The key with the same effect, in words; empty if there is none. */
  readonly key: string;
  readonly act: (state: DashboardState) => readonly Effect[];
}

const OPEN = "open";
/** Commands on one ticket, by the name of their binding. */
const ON_TICKET: ReadonlySet<string> = new Set([
  OPEN,
  "kill",
  "gate",
  "retry",
  "approve",
  "revert",
  "open-pull-request",
  "rerun-checks",
  "request-review",
]);

/** The state behind the palette. */
export function behind(state: DashboardState): DashboardState {
  const { modal: _, ...ui } = state.ui;
  return { ...state, ui };
}

/** The index of the chosen row among `found`. */
export function chosenAt(at: number, found: number): number {
  return Math.min(Math.max(0, at), Math.max(0, found - 1));
}

/** The reason why a command does nothing now, in the words of its key's hint; undefined if it works. */
export function whyNotNow(offer: Offer, state: DashboardState): string | undefined {
  const [effect, ...more] = offer.act(behind(state));
  if (effect === undefined) return "nothing to do";
  return more.length === 0 && effect.do === "ui" && effect.action.type === "toast" ? effect.action.toast.text : undefined;
}

/**
 * The commands that match the typed words, best first: those on a ticket whose id they give, then those of the view in front, then
 * those on tickets that the words name otherwise (`kill T-4`, `T-4`, a word of its title). The list depends on the words and the batch alone, never on the run's progress: so
 * nothing replaces the chosen row.
 */
export function rankOffers(state: DashboardState): readonly Offer[] {
  const words = state.ui.modal?.kind === "palette" ? searchWords(state.ui.modal.input.text) : [];
  const offers = listOffers(state);
  if (words.length === 0) return offers;
  const scored = offers.map((offer) => ({ offer, score: scoreWords(words, { name: offer.name, text: offerText(offer) }) }));
  const found = [...byScore(scored), ...onTickets(state, words)];
  const isNamed = namesTicket(state, words);
  return [...found.filter(isNamed), ...found.filter((offer) => !isNamed(offer))];
}

/** True for commands on a ticket whose whole id was typed: the selected ticket is not meant then. */
function namesTicket({ run }: DashboardState, words: readonly string[]): (offer: Offer) => boolean {
  const ids = (run?.plan.tickets ?? []).map(({ id }) => id.toLowerCase()).filter((id) => words.includes(id));
  return ({ name }) => ids.some((id) => name.toLowerCase().endsWith(` ${id}`));
}

const offerText = ({ help, key }: Offer): string => `${help} ${key}`;

function byScore(scored: readonly { readonly offer: Offer; readonly score: number }[]): readonly Offer[] {
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ offer }) => offer);
}

/** The mode whose bindings the palette offers: that of the view, or of the summary that replaces it. */
function modeBehind({ run, ui: { view } }: DashboardState): Mode {
  return run?.end !== undefined && view === "overview" ? "summary" : view;
}

/** If nothing can change any more, commands on the run come last; so do commands on a ticket while none is selected. */
function listOffers(state: DashboardState): readonly Offer[] {
  const id = selectedIn(state);
  const mode = modeBehind(state);
  const isOfRun = (b: Binding): boolean => RUN_KEYS.some(({ name }) => name === b.name);
  // In the summary the others only report that the run has ended.
  const isIdle = (b: Binding): boolean => mode === "summary" && isOfRun(b) && b.name !== "revert";
  const offered = state.keymap[mode].filter((b) => b.silent !== true && !isIdle(b));
  const over = state.run?.end !== undefined || state.playback !== undefined;
  const changes = (b: Binding): boolean => over && isOfRun(b);
  const last = (b: Binding): boolean => changes(b) || (id === undefined && ON_TICKET.has(b.name));
  return [...offered.filter((b) => !last(b)), ...offered.filter(last)].map((b) => ({
    name: bindingTitle(b) + (id !== undefined && ON_TICKET.has(b.name) ? ` ${id}` : ""),
    help: b.help,
    key: allKeyLabels(b),
    act: id !== undefined && ON_TICKET.has(b.name) ? onOne(b, id) : b.act,
  }));
}

/** A binding's name as words: `view graph`, `more workers`. */
function bindingTitle({ name }: Binding): string {
  return name.replaceAll("-", " ");
}

/** Commands on tickets: all words match the ticket, or the first matches the command and all others the ticket. */
function onTickets(state: DashboardState, words: readonly string[]): readonly Offer[] {
  const [verb = "", ...rest] = words;
  const offers = ticketOffers(state);
  const selected = selectedIn(state);
  const scored = (state.run?.plan.tickets ?? []).flatMap(({ id, title }) => {
    const titled = { name: id, text: displayText(title) };
    const named = scoreWords(words, titled);
    const meant = rest.length === 0 ? 0 : scoreWords(rest, titled);
    // Commands with a key for the selected ticket are already offered.
    const others = offers.filter(({ name }) => name === OPEN || id !== selected);
    return others.flatMap(({ name, key, act }) => {
      const score = Math.max(name === OPEN ? named : 0, name.startsWith(verb) ? meant : 0);
      return score === 0 ? [] : [{ score, offer: { name: `${name} ${id}`, help: titled.text, key, act: act(id) } }];
    });
  });
  return byScore(scored);
}

interface TicketOffer {
  readonly name: string;
  readonly key: string;
  readonly act: (id: TicketId) => Offer["act"];
}

/** Commands on a named ticket, the same that the view in front has for the selected one. */
function ticketOffers(state: DashboardState): readonly TicketOffer[] {
  const open: TicketOffer = {
    name: OPEN,
    key: firstKeyLabel(state.keymap.overview, OPEN),
    act: (id) => () => [...ui({ type: "select", ticket: id }), ...ui({ type: "view", view: "ticket" })],
  };
  const others = state.keymap[modeBehind(state)].filter((b) => b.silent !== true && ON_TICKET.has(b.name));
  return [
    open,
    ...others.map((b) => ({
      name: bindingTitle(b),
      key: firstKeyLabel([b], b.name),
      act: (id: TicketId) => onOne(b, id),
    })),
  ];
}

/** A command on the ticket that its offer names, whatever is selected or marked. */
function onOne({ act }: Binding, id: TicketId): Offer["act"] {
  return (now) => act({ ...now, ui: { ...now.ui, selected: id, marked: [] } });
}

function firstKeyLabel(bindings: readonly Binding[], name: string): string {
  return keyLabel(bindings.find((b) => b.name === name)?.keys[0] ?? "");
}

/** The scores of a word: it begins the text, begins a word, is contained, or its letters appear in order. */
const BEGINS = 100;
const WORD = 60;
const WITHIN = 30;
const SCATTERED = 10;

/**
 * The score of the typed words: the name counts first, then the description. Zero if a word does not match. Letters in order with
 * others between them count in the name alone.
 */
function scoreWords(words: readonly string[], options: { readonly name: string; readonly text: string }): number {
  const [name, text] = [options.name.toLowerCase(), options.text.toLowerCase()];
  let sum = 1;
  for (const word of words) {
    const score = Math.max(scorePlace(word, name), scorePlace(word, text) / 4, inOrder(word, name) ? SCATTERED : 0);
    if (score === 0) return 0;
    sum += score;
  }
  return sum - name.length / 1000;
}

function scorePlace(word: string, text: string): number {
  const at = text.indexOf(word);
  if (at < 0) return 0;
  if (at === 0) return BEGINS;
  return text.includes(` ${word}`) ? WORD : WITHIN;
}

function inOrder(word: string, text: string): boolean {
  let at = -1;
  return [...word].every((letter) => {
    at = text.indexOf(letter, at + 1);
    return at >= 0;
  });
}

/** The text of a field as words in small letters. */
function searchWords(text: string): readonly string[] {
  return text.toLowerCase().split(/\s+/u).filter(Boolean);
}
