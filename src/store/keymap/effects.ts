import { HumanStep } from "../../domain/run/command.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import type { Binding } from "../dashboard-state.ts";
import { type DashboardState, ticketIn } from "../dashboard-state.ts";
import type { TextAction } from "../text-input.ts";
import type { Modal } from "../ui.ts";
import type { PaneName } from "../views/pane.ts";
import type { ViewName } from "../views/view-name.ts";
import type { Effect } from "./binding.ts";
import { overviewKey } from "./key-labels.ts";

const HINT_MS = 4_000;

/** Lines, or tickets, of a page. */
export const PAGE = 10;

/** What a key does, from what stands on the screen. */
export type Act = (state: DashboardState) => readonly Effect[];

export const word = (text: string) => (): string => text;

/** One change of the view, as a list of effects. */
export function ui(action: Extract<Effect, { do: "ui" }>["action"]): readonly Effect[] {
  return [{ do: "ui", action }];
}

export function open(modal: Modal): readonly Effect[] {
  return ui({ type: "open", modal });
}

export const CLOSE: readonly Effect[] = ui({ type: "close" });
export const close = (): readonly Effect[] => CLOSE;

/** Tells the person why a key does nothing here, or what it has done. */
export function hint(state: DashboardState, text: string): readonly Effect[] {
  return ui({ type: "toast", toast: { text, tone: "waiting", until: state.now + HINT_MS } });
}

/** The selected ticket, where it is still of this run. */
export function selectedIn(state: DashboardState): TicketId | undefined {
  const id = state.ui.selected;
  return id !== undefined && ticketIn(state, id) !== undefined ? id : undefined;
}

/** The views in which a ticket is selected, or seen to be. */
const TICKET_VIEWS: ReadonlySet<ViewName> = new Set<ViewName>(["overview", "ticket", "graph", "timeline"]);

/** What to do before something can be done to one: `select a ticket first: j/k`. */
export function selectFirst(state: DashboardState, what: "ticket" | "worker"): string {
  const key = overviewKey(state, "select-next");
  const where = TICKET_VIEWS.has(state.ui.view) ? "" : " in the overview";
  return `select a ${what} first${where}${key === "" ? "" : `: ${key}`}`;
}

/** The summary has the command under NEXT. */
const ENDED_OPEN = "the run has ended: the command under NEXT in the summary goes on with what is open";

/** Why nobody can tell the run anything now; undefined where its engine is there and goes on. */
function whyNotLive({ playback, run, ui: { connection } }: DashboardState): string | undefined {
  if (playback !== undefined) return "this is a replay: what has happened cannot be changed";
  if (run?.end !== undefined) return run.end.verdict === "done" ? "the run has ended" : ENDED_OPEN;
  return connection.state === "live" && run !== undefined ? undefined : "not connected to the run";
}

/** Does it only where the run can be told: its engine is there and goes on. */
export function whenLive(act: Act): Act {
  return (state) => {
    const why = whyNotLive(state);
    return why === undefined ? act(state) : hint(state, why);
  };
}

/** A word of the footer for what changes the run: only where it can be told, and not beside the choice of another run. */
export const liveWord =
  (text: string | ((state: DashboardState) => string)) =>
  (state: DashboardState): string => {
    if (whyNotLive(state) !== undefined || state.ui.view === "runs") return "";
    return typeof text === "string" ? text : text(state);
  };

/** The same for what is done to a ticket: only where a ticket is selected. */
export const ticketWord = (text: string) => liveWord(({ ui: { view } }) => (TICKET_VIEWS.has(view) ? text : ""));

export const edit = (action: TextAction) => (): readonly Effect[] => ui({ type: "text", action });

/** Keys that every field has. `enter` and `escape` are its own. */
export const FIELD_KEYS: readonly Binding[] = [
  { name: "char-left", silent: true, keys: ["left"], help: "one character back", act: edit({ type: "to", place: "left" }) },
  { name: "char-right", silent: true, keys: ["right"], help: "one character on", act: edit({ type: "to", place: "right" }) },
  { name: "line-start", silent: true, keys: ["home", "ctrl-a"], help: "to the start", act: edit({ type: "to", place: "home" }) },
  { name: "line-end", silent: true, keys: ["end", "ctrl-e"], help: "to the end", act: edit({ type: "to", place: "end" }) },
  { name: "delete-back", silent: true, keys: ["backspace"], help: "delete before the cursor", act: edit({ type: "backspace" }) },
  { name: "delete-on", silent: true, keys: ["delete"], help: "delete at the cursor", act: edit({ type: "delete" }) },
  { name: "delete-all", silent: true, keys: ["ctrl-u"], help: "delete all", act: edit({ type: "clear" }) },
];

/** Keys that scroll a pane of lines. */
export function paneKeys(pane: PaneName): readonly Binding[] {
  const by = (lines: number) => () => ui({ type: "pane", pane, action: { type: "by", lines } });
  const to = (place: "top" | "end") => () => ui({ type: "pane", pane, action: { type: "to", place } });
  return [
    { name: "down", silent: true, keys: ["j", "down"], pair: "up", short: word("scroll"), keep: 5, help: "scroll", act: by(1) },
    { name: "up", silent: true, keys: ["k", "up"], help: "scroll back", act: by(-1) },
    {
      name: "page-down",
      silent: true,
      keys: ["pagedown", " ", "ctrl-d"],
      short: word("page"),
      keep: 6,
      help: "a page on",
      act: by(PAGE),
    },
    { name: "page-up", silent: true, keys: ["pageup", "ctrl-b"], help: "a page back", act: by(-PAGE) },
    { name: "top", silent: true, keys: ["home"], help: "to the top", act: to("top") },
    { name: "end", silent: true, keys: ["end", "G"], help: "to the end", act: to("end") },
  ];
}

/** A line of text that the engine takes, or what is wrong with it, told in the field. */
export function checkedLine(text: string, then: (line: string) => readonly Effect[]): readonly Effect[] {
  const line = HumanStep.safeParse(text);
  if (line.success) return then(line.data);
  return ui({ type: "text-refused", problem: line.error.issues[0]?.message ?? "this text cannot be taken" });
}
