import { whyNoForgeRequest } from "../../domain/run/admit-forge-request.ts";
import { Login } from "../../domain/run/command.ts";
import type { TicketState } from "../../domain/run/ticket-state.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import type { Binding } from "../dashboard-state.ts";
import { type DashboardState, ticketIn } from "../dashboard-state.ts";
import { displayText } from "../format.ts";
import { EMPTY_INPUT } from "../text-input.ts";
import type { Effect } from "./binding.ts";
import {
  type Act,
  CLOSE,
  checkedText,
  command,
  fieldKeys,
  hint,
  open,
  selectedIn,
  selectFirst,
  TICKET_VIEWS,
} from "./effects.ts";
import { liveWord, whenLive } from "./live.ts";

function selectedTicket(state: DashboardState): TicketState | undefined {
  const id = selectedIn(state);
  return id === undefined ? undefined : ticketIn(state, id);
}

/** Runs `act` if the forge can be asked something of this kind for the selected ticket; else it shows why not. */
function forTicket(kind: "rerun" | "review", act: (state: DashboardState, id: TicketId) => readonly Effect[]): Act {
  return whenLive((state) => {
    const ticket = selectedTicket(state);
    if (ticket === undefined) return hint(state, selectFirst(state, "ticket"));
    const why = whyNoForgeRequest(ticket, kind);
    return why === undefined ? act(state, ticket.id) : hint(state, why);
  });
}

/** A footer word for a key that asks the forge something: shown only if it can be asked. */
const forgeWord = (kind: "rerun" | "review", text: string) =>
  liveWord((state) => {
    const ticket = TICKET_VIEWS.has(state.ui.view) ? selectedTicket(state) : undefined;
    return ticket === undefined || whyNoForgeRequest(ticket, kind) !== undefined ? "" : text;
  });

/** These keys matter most where the checks are looked at. */
const keepWeight =
  (there: number, elsewhere: number) =>
  ({ ui: { view, ticket } }: DashboardState): number =>
    view === "ticket" && ticket.tab === "checks" ? there : elsewhere;

/** The address goes to the terminal's own opener; the hint is what is seen if there is none. */
function openPullRequest(state: DashboardState): readonly Effect[] {
  const ticket = selectedTicket(state);
  if (ticket === undefined) return hint(state, selectFirst(state, "ticket"));
  const { number, url } = ticket.pullRequest ?? {};
  if (number === undefined || url === undefined) return hint(state, `${ticket.id} has no pull request`);
  return [
    ...hint(state, `#${number}: ${displayText(url)}`),
    { do: "terminal", act: (terminal) => terminal.open?.({ name: `#${number}`, url }) },
  ];
}

/** Opens the pull request of the selected ticket. It changes nothing, so it works without an engine, too. */
export const OPEN_PULL_REQUEST_KEY: Binding = {
  name: "open-pull-request",
  keys: ["O"],
  short: (state) => {
    const url = TICKET_VIEWS.has(state.ui.view) ? selectedTicket(state)?.pullRequest?.url : undefined;
    return url === undefined ? "" : "browser";
  },
  keep: keepWeight(3, 9),
  help: "open the pull request of the selected ticket in a browser, or copy its address",
  act: openPullRequest,
};

/** Keys that ask the forge something for the selected ticket's pull request. */
export const PULL_REQUEST_KEYS: readonly Binding[] = [
  {
    name: "rerun-checks",
    keys: ["T"],
    short: forgeWord("rerun", "re-run"),
    keep: keepWeight(2, 5),
    help: "re-run the failed jobs of the selected ticket's pull request",
    act: forTicket("rerun", (state, id) => [
      ...command((run) => run.rerunChecks(id)),
      ...hint(state, `the forge is asked to re-run the failed jobs of ${id}`),
    ]),
  },
  {
    name: "request-review",
    keys: ["A"],
    short: forgeWord("review", "ask review"),
    keep: keepWeight(4, 10),
    help: "request a person's review of the selected ticket's pull request; asks for the login",
    act: forTicket("review", (_, ticket) => open({ kind: "review", ticket, input: EMPTY_INPUT })),
  },
];

/** Keys of the field that asks whose review is requested. A login may be written with an @ before it. */
export const REVIEW_KEYS = fieldKeys({
  name: "record",
  help: "request the review",
  confirms: true,
  act: ({ ui: { modal } }) =>
    modal?.kind !== "review"
      ? []
      : checkedText(Login, modal.input.text.trim().replace(/^@/, ""), (login) => [
          ...command((run) => run.requestReview(modal.ticket, login)),
          ...CLOSE,
        ]),
});
