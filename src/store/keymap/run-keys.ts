import { mostHeals } from "../../domain/batch/heals-spec.ts";
import { HumanStep } from "../../domain/run/command.ts";
import { usedHeals } from "../../domain/run/heals-state.ts";
import { isSettled, type TicketState } from "../../domain/run/ticket-state.ts";
import { type Binding, type DashboardState, ticketIn } from "../dashboard-state.ts";
import { createInput, EMPTY_INPUT } from "../text-input.ts";
import type { Modal, OnTickets } from "../ui.ts";
import { APPROVAL_KEYS } from "./approval-keys.ts";
import type { Effect } from "./binding.ts";
import { CLOSE, checkedText, command, confirmKeys, fieldKeys, hint, open, selectedIn, selectFirst, ui, word } from "./effects.ts";
import { overviewKey } from "./key-labels.ts";
import { liveWord, whenLive } from "./live.ts";
import { askForMarked, forEachAsked, ticketWord } from "./mark-keys.ts";
import { PULL_REQUEST_KEYS } from "./pull-request-keys.ts";
import { RETRY_BINDINGS } from "./retry-keys.ts";
import { REVERT_KEY } from "./revert-keys.ts";

/** Longest title of a ticket, as in a batch file. */
const MAX_TITLE = 200;

type Adding = Extract<Modal, { kind: "add" }>;

const runRepoIds = ({ run }: DashboardState): readonly string[] => Object.keys(run?.batch.repos ?? {});

/** Asks for a new ticket, for the repository of the selected one. */
function askForTicket(state: DashboardState): readonly Effect[] {
  const id = selectedIn(state);
  const selected = id === undefined ? undefined : state.run?.plan.tickets.find((ticket) => ticket.id === id);
  const repo = selected?.repo ?? runRepoIds(state)[0];
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
  const repos = runRepoIds(state);
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

function kill(state: DashboardState): readonly Effect[] {
  const can = ({ attempt }: TicketState): boolean => attempt !== undefined;
  return (
    askForMarked(state, { can, none: "nobody works on a marked ticket now" }, (asked) => ({ kind: "kill", ...asked })) ??
    killSelected(state)
  );
}

function killSelected(state: DashboardState): readonly Effect[] {
  const id = selectedIn(state);
  if (id === undefined) return hint(state, selectFirst(state, "worker"));
  const ticket = ticketIn(state, id);
  return ticket?.attempt === undefined ? hint(state, `nobody works on ${id} now`) : open({ kind: "kill", ticket: id });
}

function gate(state: DashboardState): readonly Effect[] {
  const can = ({ phase }: TicketState): boolean => phase === "stalled" || !isSettled(phase);
  const ask = (asked: OnTickets): Modal => ({ kind: "gate", input: EMPTY_INPUT, ...asked });
  return askForMarked(state, { can, none: "the marked tickets are settled already" }, ask) ?? gateSelected(state);
}

function gateSelected(state: DashboardState): readonly Effect[] {
  const id = selectedIn(state);
  if (id === undefined) return hint(state, selectFirst(state, "ticket"));
  const phase = ticketIn(state, id)?.phase ?? "waiting";
  if (isSettled(phase) && phase !== "stalled") return hint(state, `${id} is ${phase} already`);
  // A claim that a person has to rule on names the step.
  const claimed = ticketIn(state, id)?.evidence.at(-1);
  const step = phase === "stalled" && claimed?.cause === "unruled" ? (claimed.humanStep ?? "") : "";
  return open({ kind: "gate", ticket: id, input: createInput(step) });
}

/** Checks what has landed now: the selected ticket if it is landed, else all of them. */
function verify(state: DashboardState): readonly Effect[] {
  const id = selectedIn(state);
  const { counts } = state.run ?? {};
  if (counts === undefined || counts.landed === 0) return hint(state, "no landed ticket waits for a live check");
  const only = id !== undefined && ticketIn(state, id)?.phase === "landed" ? id : undefined;
  return [...command((run) => run.verify(only)), ...hint(state, `live check of ${only ?? "every landed ticket"} requested`)];
}

/** Asks for `by` more worker slots than the run wants now. */
function workers(by: number): (state: DashboardState) => readonly Effect[] {
  return (state) => {
    const wanted = (state.run?.workers ?? 0) + by;
    if (wanted < 1) return hint(state, `at least one worker; ${overviewKey(state, "pause")} pauses the run`);
    if (wanted > 64) return hint(state, "64 workers are the most");
    return command((run) => run.setWorkers(wanted));
  };
}

function heal(state: DashboardState): readonly Effect[] {
  const { batch, heals } = state.run ?? {};
  if (heals?.asked) return command((run) => run.dropHeal());
  if (heals !== undefined && batch !== undefined && usedHeals(heals) >= mostHeals(batch))
    return hint(state, mostHeals(batch) === 0 ? "heals are off in this batch" : "no heal is left in this run");
  return open({ kind: "heal" });
}

/** Keys that change the run, on the selected ticket or on all: each is a Command, which the engine may refuse. */
export const RUN_KEYS: readonly Binding[] = [
  {
    name: "kill",
    keys: ["x"],
    short: ticketWord("kill", ({ attempt }) => attempt !== undefined),
    keep: 3,
    help: "end the selected ticket's attempt; asks first",
    act: whenLive(kill),
  },
  {
    name: "gate",
    keys: ["g"],
    short: ticketWord("gate", ({ phase }) => phase !== "done" && phase !== "human-gated"),
    keep: 4,
    help: "leave the selected ticket to a person; asks for the exact step",
    act: whenLive(gate),
  },
  ...RETRY_BINDINGS,
  {
    name: "verify",
    keys: ["t"],
    short: liveWord((state) => ((state.run?.counts.landed ?? 0) > 0 ? "check live" : "")),
    keep: 6,
    help: "check now what has landed and is not live: the selected ticket, or all of them",
    act: whenLive(verify),
  },
  {
    name: "pause",
    keys: ["p"],
    short: liveWord((state) => (state.run?.paused === true ? "unpause" : "pause")),
    keep: 5,
    help: "pause: nothing new starts, what runs continues; again to continue",
    act: whenLive((state) => command((run) => (state.run?.paused === true ? run.unpause() : run.pause()))),
  },
  {
    name: "more-workers",
    keys: ["+", "="],
    pair: "fewer-workers",
    short: liveWord("workers"),
    keep: 12,
    help: "one worker more",
    act: whenLive(workers(1)),
  },
  { name: "fewer-workers", keys: ["-"], help: "one worker fewer; what runs continues", act: whenLive(workers(-1)) },
  {
    name: "oracle",
    keys: ["o"],
    short: liveWord("oracle"),
    keep: 7,
    help: "ask the oracle now; what is away (the tracker, git) is tried at once",
    act: whenLive((state) => [...command((run) => run.judge()), ...hint(state, "the oracle was asked")]),
  },
  {
    name: "heal",
    keys: ["h"],
    short: liveWord((state) => (state.run?.heals.asked ? "cancel the heal" : "")),
    keep: 5,
    help: "let an agent heal the harness once the attempts under way are over; asks first; again, before it has begun, cancels it",
    act: whenLive(heal),
  },
  {
    name: "note",
    keys: ["i"],
    help: "note an intervention that was made outside the dashboard",
    act: whenLive(() => open({ kind: "note", input: EMPTY_INPUT, work: true })),
  },
  {
    name: "add",
    keys: ["a"],
    help: "add a ticket to the run; asks for its title, then for its text",
    act: whenLive(askForTicket),
  },
  REVERT_KEY,
  ...APPROVAL_KEYS,
  ...PULL_REQUEST_KEYS,
];

export const KILL_KEYS = confirmKeys("kill", "keep", ({ ui: { modal } }) =>
  modal?.kind === "kill" ? forEachAsked(modal, (id) => (run) => run.kill(id)) : [],
);

export const HEAL_KEYS = confirmKeys("heal", "back", () => [...command((run) => run.heal()), ...CLOSE]);

/** Sends the gate if the engine takes its step; otherwise shows the problem. */
export const GATE_KEYS = fieldKeys({
  name: "record",
  help: "gate",
  confirms: true,
  act: ({ ui: { modal } }) =>
    modal?.kind !== "gate"
      ? []
      : checkedText(HumanStep, modal.input.text, (step) => forEachAsked(modal, (id) => (run) => run.gate(id, step))),
});

export const NOTE_KEYS: readonly Binding[] = [
  ...fieldKeys({
    name: "record",
    help: "note",
    confirms: true,
    act: ({ ui: { modal } }) =>
      modal?.kind !== "note"
        ? []
        : checkedText(HumanStep, modal.input.text, (text) => [
            ...command((run) => run.note(modal.work ? "work" : "harness", text)),
            ...CLOSE,
          ]),
  }),
  {
    name: "note-kind",
    silent: true,
    keys: ["tab"],
    short: word("work or harness"),
    help: "whether it did the tickets' work or tended the machinery",
    act: () => ui({ type: "note-kind" }),
  },
];
