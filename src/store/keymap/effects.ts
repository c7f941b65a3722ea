import type { HumanStep, Login, RefusalReason, RunActions } from "../../domain/run/command.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import type { Binding } from "../dashboard-state.ts";
import { type DashboardState, ticketIn } from "../dashboard-state.ts";
import type { TextAction } from "../text-input.ts";
import type { Modal } from "../ui.ts";
import type { PaneName } from "../views/pane.ts";
import type { ViewName } from "../views/view-name.ts";
import type { Effect, LeaveHow } from "./binding.ts";
import { overviewKey } from "./key-labels.ts";

const HINT_MS = 4_000;

/** Lines, or tickets, of a page. */
export const PAGE = 10;

/** The effects of a key for the state on the screen. */
export type Act = (state: DashboardState) => readonly Effect[];

export const word = (text: string) => (): string => text;

/** One change of the view, as a list of effects. */
export function ui(action: Extract<Effect, { do: "ui" }>["action"]): readonly Effect[] {
  return [{ do: "ui", action }];
}

export function open(modal: Modal): readonly Effect[] {
  return ui({ type: "open", modal });
}

/** One command to the run, as a list of effects. */
export function command(act: (run: RunActions) => RefusalReason): readonly Effect[] {
  return [{ do: "act", act }];
}

/** Exits the dashboard. */
export function leaveAs(how: LeaveHow): readonly Effect[] {
  return [{ do: "terminal", act: (terminal) => terminal.leave(how) }];
}

export const CLOSE: readonly Effect[] = ui({ type: "close" });
export const close = (): readonly Effect[] => CLOSE;

/** Shows the person why a key does nothing here, or what it has done. */
export function hint(state: DashboardState, text: string): readonly Effect[] {
  return ui({ type: "toast", toast: { text, tone: "waiting", until: state.now + HINT_MS } });
}

/** The selected ticket, if this run has it. */
export function selectedIn(state: DashboardState): TicketId | undefined {
  const id = state.ui.selected;
  return id !== undefined && ticketIn(state, id) !== undefined ? id : undefined;
}

/** The views in which a ticket is selected or the selection is visible. */
export const TICKET_VIEWS: ReadonlySet<ViewName> = new Set<ViewName>(["overview", "ticket", "graph", "timeline"]);

/** The hint to select a ticket or worker first: `select a ticket first: j/k`. */
export function selectFirst(state: DashboardState, what: "ticket" | "worker"): string {
  const key = overviewKey(state, "select-next");
  const where = TICKET_VIEWS.has(state.ui.view) ? "" : " in the overview";
  return `select a ${what} first${where}${key === "" ? "" : `: ${key}`}`;
}

export const edit = (action: TextAction) => (): readonly Effect[] => ui({ type: "text", action });

/** Passes on a text that the engine takes, or shows the problem in the field. */
export function checkedText(
  schema: typeof HumanStep | typeof Login,
  text: string,
  then: (checked: string) => readonly Effect[],
): readonly Effect[] {
  const checked = schema.safeParse(text);
  if (checked.success) return then(checked.data);
  return ui({ type: "text-refused", problem: checked.error.issues[0]?.message ?? "this text cannot be taken" });
}

/** Keys that every field has. Each field defines its own `enter` and `escape`. */
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

/** Ctrl-C in a modal: opens the leave menu, in which a second one detaches. */
export const TO_LEAVE: Binding = {
  name: "quit",
  silent: true,
  keys: ["ctrl-c"],
  help: "leave",
  act: () => open({ kind: "leave" }),
};

/** Yes and no; `yes` and `no` name the two outcomes in a word. */
export function confirmKeys(yes: string, no: string, act: Act): readonly Binding[] {
  return [
    { name: "yes", silent: true, keys: ["y"], short: word(yes), help: yes, confirms: true, act },
    { name: "no", silent: true, keys: ["n", "escape"], short: word(no), help: no, act: close },
    TO_LEAVE,
  ];
}

/** Keys of a field, with its effects of Enter and Escape. */
export function fieldKeys(
  enter: Pick<Binding, "name" | "help" | "act" | "confirms">,
  back: Binding["act"] = close,
): readonly Binding[] {
  return [
    { silent: true, keys: ["enter"], short: word(enter.help), ...enter },
    { name: "give-up", silent: true, keys: ["escape"], short: word("back"), help: "back", act: back },
    ...FIELD_KEYS,
    TO_LEAVE,
  ];
}
