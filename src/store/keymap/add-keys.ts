import { HumanStep } from "../../domain/run/command.ts";
import type { Binding, DashboardState } from "../dashboard-state.ts";
import { EMPTY_INPUT } from "../text-input.ts";
import type { Modal } from "../ui.ts";
import type { Effect } from "./binding.ts";
import { CLOSE, command, fieldKeys, hint, open, selectedIn, ui, word } from "./effects.ts";

/** Longest title of a ticket, as in a batch file. */
const MAX_TITLE = 200;

type Adding = Extract<Modal, { kind: "add" }>;

const reposOf = ({ run }: DashboardState): readonly string[] => Object.keys(run?.batch.repos ?? {});

/** Asks for a new ticket, for the repository of the selected one. */
export function askForTicket(state: DashboardState): readonly Effect[] {
  const id = selectedIn(state);
  const selected = id === undefined ? undefined : state.run?.plan.tickets.find((ticket) => ticket.id === id);
  const repo = selected?.repo ?? reposOf(state)[0];
  return repo === undefined ? hint(state, "the run has no repository") : open({ kind: "add", repo, input: EMPTY_INPUT });
}

/** The title comes first, then the text below it, which may be empty. */
function next(modal: Adding): readonly Effect[] {
  const { repo, title } = modal;
  const text = modal.input.text.trim();
  if (title !== undefined)
    return [...command((run) => run.add({ title, repo, ...(text === "" ? {} : { body: text }) })), ...CLOSE];
  const line = HumanStep.safeParse(text);
  if (!line.success) return ui({ type: "text-refused", problem: "say what is to be done" });
  if (line.data.length > MAX_TITLE) return ui({ type: "text-refused", problem: `a title has at most ${MAX_TITLE} characters` });
  return open({ kind: "add", repo, title: line.data, input: EMPTY_INPUT });
}

function otherRepo(state: DashboardState, modal: Adding): readonly Effect[] {
  const repos = reposOf(state);
  const repo = repos[(repos.indexOf(modal.repo) + 1) % repos.length] ?? modal.repo;
  return open({ ...modal, repo });
}

/** The keys of the dialog that adds a ticket. */
export const ADD_KEYS: readonly Binding[] = [
  ...fieldKeys({
    name: "record",
    help: "continue",
    confirms: true,
    act: ({ ui: { modal } }) => (modal?.kind === "add" ? next(modal) : []),
  }),
  {
    name: "ticket-repo",
    silent: true,
    keys: ["tab"],
    short: word("repository"),
    help: "the next repository",
    act: (state) => (state.ui.modal?.kind === "add" ? otherRepo(state, state.ui.modal) : []),
  },
];
