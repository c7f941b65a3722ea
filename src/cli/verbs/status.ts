import { ledgerOf } from "../../domain/ledger.ts";
import { activeTickets, type RunState, type TicketState } from "../../domain/state.ts";
import { formatDuration, headline } from "../../domain/summary.ts";
import { plainText } from "../../domain/text.ts";
import { vecItems } from "../../domain/vec.ts";
import { describeReason, whyNot } from "../../domain/why-not.ts";
import { type FoundRun, findRun } from "../find-run.ts";
import { writeAll } from "../print.ts";

/** Says where a run stands now: what runs, what waits and why, what the oracle last said. */
export function status(name: string | undefined, json: boolean): number {
  const found = findRun(name);
  if (json) writeAll(1, `${JSON.stringify(asJson(found), undefined, 2)}\n`);
  else
    writeAll(
      1,
      `${asLines(found)
        .map((line) => plainText(line))
        .join("\n")}\n`,
    );
  return 0;
}

function asJson({ row, state, live, pid }: FoundRun) {
  const { last } = state.oracle;
  return {
    run: row.run,
    batch: state.batch.name,
    live,
    pid: pid ?? null,
    stage: state.stage,
    paused: state.paused,
    counts: state.counts,
    oracle: last === undefined ? null : { verdict: last.verdict, at: new Date(last.at).toISOString(), counts: last.counts },
    working: activeTickets(state).map(({ id, attempt, phase }) => ({
      id,
      attempt: attempt?.n ?? 0,
      phase,
      step: attempt?.step?.name ?? null,
    })),
    waiting: waiting(state),
    end: state.end ?? null,
  };
}

function waiting(state: RunState): { id: string; why: string }[] {
  return [...vecItems(state.tickets)].flatMap((ticket, index) =>
    ticket.phase === "waiting" ? [{ id: ticket.id, why: describeReason(whyNot(state, index)) }] : [],
  );
}

function asLines({ row, state, live, pid }: FoundRun): string[] {
  const { tickets, costUsd, interventions } = ledgerOf(state);
  const { last } = state.oracle;
  const where = live ? `at work (pid ${pid})` : state.end === undefined ? "no engine is at work on it" : "ended";
  return [
    `${headline(state, live)}  ${row.run}  ${where}`,
    `oracle ${last === undefined ? "has not judged yet" : `${last.verdict}, ${formatDuration(Date.now() - last.at)} ago`}`,
    `tickets ${tickets.done} done, ${tickets.gated} human-gated, ${tickets.open} open of ${tickets.total} · $ ${costUsd.toFixed(2)} · interventions ${interventions.total}`,
    ...activeTickets(state).map((ticket) => `  ▶ ${ticket.id}  ${doing(ticket)}`),
    ...waiting(state).map(({ id, why }) => `  · ${id}  ${why}`),
    ...(state.end === undefined ? [] : [`  ${state.end.reason}`]),
  ];
}

function doing({ attempt }: TicketState): string {
  const n = `try ${attempt?.n ?? 0}`;
  return attempt?.step === undefined ? `${n}, agent` : `${n}, ${attempt.step.kind} ${attempt.step.name}`;
}
