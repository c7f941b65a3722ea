import type { RunEvent } from "../../src/domain/run/event.ts";
import { type RunState, ticketById } from "../../src/domain/run/state.ts";
import type { TicketId } from "../../src/domain/values/ids.ts";
import { isToFail, numberOf } from "./agents.ts";
import { type RunPlan, TICKETS } from "./plan.ts";
import type { PersonAct, RealIssue } from "./service-side.ts";
import type { Witness } from "./witness.ts";

/** A run that is over, or that does not end. */
export interface Ended {
  readonly state: RunState;
  readonly events: readonly RunEvent[];
  readonly plan: RunPlan;
  readonly real: ReadonlyMap<number, RealIssue>;
  readonly witness: Witness;
  /** What people did, by the numbers of issues. */
  readonly acts: ReadonlyMap<number, readonly PersonAct[]>;
  /** When the last judgement began, less the age of the oldest reading. */
  readonly judgedSince: number;
}

/** What is wrong with a run: it is compared with the stand-in's own world. */
export function problemsOf(ended: Ended): readonly string[] {
  const { witness } = ended;
  return [
    ...witness.problems,
    ...witness.lostWords(),
    ...endProblems(ended),
    ...discoveryProblems(ended),
    ...commentProblems(ended),
    ...attemptProblems(ended),
    ...countProblems(ended),
  ];
}

/** The tickets that the run found, by their ids. */
export function discoveredIn(events: readonly RunEvent[]): ReadonlyMap<TicketId, string> {
  return new Map(
    events.flatMap((event) =>
      event.type === "ticket-discovered" ? [[event.discovered.id, event.discovered.title] as const] : [],
    ),
  );
}

function endProblems({ state, events, real, witness, judgedSince }: Ended): readonly string[] {
  if (state.stage !== "ended") return ["the run does not end"];
  if (state.end?.verdict !== "done")
    return waitsForPeople(state, real) ? [] : [`lost: the run ended as ${state.end?.verdict}: ${state.end?.reason}`];
  const found = discoveredIn(events);
  const numbers = [...real.keys()].filter(
    (number) => number <= TICKETS || [...found.values()].includes(real.get(number)?.title ?? ""),
  );
  const open = numbers.filter(
    (number) => real.get(number)?.isWithdrawn !== true && !witness.wasSettledSince(number, judgedSince),
  );
  return [
    ...open.map((number) => `false verdict: the run says done, and issue ${number} was open`),
    ...(real.size < TICKETS ? ["lost: an issue of the batch is gone"] : []),
  ];
}

/** True if all that is open waits for tickets that are a person's, as the stand-in's world has it. */
function waitsForPeople({ plan, end }: RunState, real: ReadonlyMap<number, RealIssue>): boolean {
  const byTitle = new Map([...real.values()].map((issue) => [issue.title, issue.state]));
  const stateOf = ({ id, title }: (typeof plan.tickets)[number]) => real.get(numberOf(id))?.state ?? byTitle.get(title);
  const waits = (id: TicketId): boolean => {
    const ticket = plan.tickets.find((each) => each.id === id);
    if (ticket === undefined || stateOf(ticket) === undefined) return false;
    return stateOf(ticket) === "human-gated" || (stateOf(ticket) === "open" && ticket.dependsOn.some(waits));
  };
  const open = plan.tickets.filter((ticket) => stateOf(ticket) === "open");
  return end?.verdict === "not-done" && open.length > 0 && open.every(({ id }) => waits(id));
}

function discoveryProblems({ events, real, plan, state }: Ended): readonly string[] {
  const found = discoveredIn(events);
  const titles = [...real].filter(([number, { isWithdrawn }]) => number > TICKETS && !isWithdrawn).map(([, { title }]) => title);
  const wanted = [...plan.discoveries].filter(([number]) => isBuilt(state, number)).map(([, { title }]) => title);
  return [
    ...[...found].flatMap(([id, title]) => {
      const count = titles.filter((each) => each === title).length;
      return count === 1 ? [] : [`${count === 0 ? "lost" : "doubled"}: the discovered ticket ${id} is there ${count} times`];
    }),
    ...titles.filter((title) => ![...found.values()].includes(title)).map((title) => `an issue that nobody found: ${title}`),
    ...wanted
      .filter((title) => ![...found.values()].includes(title))
      .map((title) => `lost: nobody knows "${title}", which an agent found`),
  ];
}

/** True if an agent's work on the issue of this number has landed, so that its outbox was read. */
function isBuilt(state: RunState, number: number): boolean {
  const id = state.batch.tickets[number - 1]?.id;
  return id !== undefined && ticketById(state, id).mergedSha !== undefined;
}

function commentProblems({ real }: Ended): readonly string[] {
  return [...real].flatMap(([number, { own }]) =>
    own.length > 1 ? [`doubled: loopdash has ${own.length} comments on issue ${number}: ${own.join(" | ")}`] : [],
  );
}

function attemptProblems({ events, plan }: Ended): readonly string[] {
  const attempts = new Map(events.flatMap((e) => (e.type === "attempt-claimed" ? [[e.fence, e] as const] : [])));
  return events.flatMap((event) => {
    if (event.type !== "attempt-ended" || event.outcome !== "failed") return [];
    const attempt = attempts.get(event.fence)?.attempt ?? 0;
    if (isToFail(plan, { ticket: event.ticket, attempt })) return [];
    return [`spent: attempt ${attempt} at ${event.ticket} failed: ${event.evidence?.summary ?? "for no reason"}`];
  });
}

/** The acts by which each change in the tracker can come about. */
const ACTS: Readonly<Record<string, readonly PersonAct["do"][]>> = {
  closed: ["close"],
  reopened: ["reopen"],
  gated: ["gate"],
  rewritten: ["retitle", "rewrite", "comment"],
};

function countProblems({ events, acts }: Ended): readonly string[] {
  const counted = new Map<string, number>();
  for (const event of events) {
    if (event.type !== "tracker-drifted") continue;
    const key = `${event.ticket} ${event.change.kind}`;
    counted.set(key, (counted.get(key) ?? 0) + 1);
  }
  return [...counted].flatMap(([key, times]) => {
    const [id = "", kind = ""] = key.split(" ");
    const did = (acts.get(numberOf(id as TicketId)) ?? []).filter((act) => ACTS[kind]?.includes(act.do)).length;
    return times > did ? [`counted: ${key} in the tracker ${times} times, and people did that ${did} times`] : [];
  });
}
