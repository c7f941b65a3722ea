import { type StepSpec, stepName } from "../../domain/batch/step-spec.ts";
import { isShownWhole, type WholeChange } from "../../domain/review/shown-change.ts";
import { awaitsApproval } from "../../domain/run/approval.ts";
import type { RunState } from "../../domain/run/state.ts";
import type { TicketState } from "../../domain/run/ticket-state.ts";
import { plannedTicket } from "../../domain/schedule/plan.ts";
import { type DashboardState, ticketIn } from "../dashboard-state.ts";
import { finishLine } from "../labels/progress-label.ts";
import type { Modal } from "../ui.ts";
import { TICKET_TABS, type TicketTab } from "../views/ticket.ts";
import { type AttemptEntry, type AttemptHistory, decisiveEntry, listAttemptHistories } from "./attempts.ts";
import { landsByPullRequest, triagedAttempt } from "./checks.ts";
import type { OpenFile, TextKind } from "./log-text.ts";

/** The target that the ticket view shows. */
export interface Target {
  readonly ticket: TicketState;
  readonly finish: readonly StepSpec[];
  readonly attempts: readonly AttemptHistory[];
  readonly attempt: AttemptHistory;
  readonly entry: AttemptEntry | undefined;
  readonly tab: TicketTab;
  /** The tabs that this ticket has, and the chosen one: that of checks is for tickets whose changes land by pull requests. */
  readonly tabs: readonly TicketTab[];
  /** Identifies the target by ticket, attempt, tab and step. */
  readonly key: string;
  /** The file below the run's folder, if there can be one. */
  readonly file?: { readonly path: string; readonly kind: TextKind };
  /** The commits of the change in git: the file has only the change of a failed attempt. */
  readonly change?: CommitRange;
}

/** A change by its commits, in the repository at `path`; without `from` it is that of one commit. `waits`: for a person's approval. */
export interface CommitRange {
  readonly path: string;
  readonly from?: string;
  readonly tip: string;
  readonly waits?: true;
}

/** The current target of the ticket view; undefined if no ticket is selected, or it has had no attempt yet. */
export function currentTarget(state: Pick<DashboardState, "run" | "ui">): Target | undefined {
  const { selected, ticket: ui } = state.ui;
  const ticket = selected === undefined ? undefined : ticketIn(state, selected);
  if (ticket === undefined) return undefined;
  const finish = finishLine(state.run, ticket.id);
  const attempts = listAttemptHistories(ticket, finish);
  const pick = ui.pick?.ticket === ticket.id ? ui.pick : undefined;
  const attempt = attempts.find(({ n }) => n === pick?.n) ?? attempts.at(-1);
  if (attempt === undefined) return undefined;
  const entry = attempt.entries.find(({ step }) => step === pick?.step) ?? decisiveEntry(attempt);
  const file = shownFile(ui.tab, ticket, { attempt, entry });
  const change = ui.tab === "diff" ? attemptCommitRange(state.run, ticket, attempt) : undefined;
  const folder = `tickets/${ticket.id}/attempt-${attempt.n}`;
  return {
    ticket,
    finish,
    attempts,
    attempt,
    entry,
    tab: ui.tab,
    tabs: TICKET_TABS.filter((tab) => tab !== "checks" || ui.tab === tab || landsByPullRequest(state, ticket)),
    key: `${state.run?.run ?? ""} ${folder}/${ui.tab}${ui.tab === "evidence" ? `/${entry?.step ?? ""}${entry?.isPreparing ? "/prepare" : ""}` : ""}`,
    change,
    file,
  };
}

/** The file of a tab. A triage is that of the last attempt that left one. */
function shownFile(tab: TicketTab, ticket: TicketState, { attempt, entry }: Pick<Target, "attempt" | "entry">): Target["file"] {
  const n = tab === "checks" ? triagedAttempt(ticket, attempt.n)?.n : attempt.n;
  const name = n === undefined ? undefined : tabFile(tab, entry);
  const within = entry?.spec?.step === "verify" && tab === "evidence" && isCheckedSince(ticket, attempt) ? "later/" : "";
  return name && { kind: name.kind, path: `tickets/${ticket.id}/attempt-${n}/${within}${name.path}` };
}

/** True if the live check of a ticket was repeated after this attempt, its last one: the logs of that are apart from the attempt's. */
function isCheckedSince({ live, history }: TicketState, { n, endedAt }: AttemptHistory): boolean {
  if (live === undefined || endedAt === undefined || history.at(-1)?.n !== n) return false;
  return live.checking === true || (live.history.at(-1)?.at ?? 0) > endedAt;
}

/** The change of an attempt, once captured, as it waits for an approval, and as it landed. */
function attemptCommitRange(run: RunState | undefined, ticket: TicketState, attempt: AttemptHistory): CommitRange | undefined {
  const { attempt: running, mergedSha, history } = ticket;
  const path = run?.batch.repos[plannedTicket(run.plan, ticket.id).repo]?.path;
  if (path === undefined) return undefined;
  if (attempt.outcome === undefined || attempt.outcome === "held") {
    const { change, worktree } = running ?? {};
    return change === undefined || worktree === undefined ? undefined : { path, from: worktree.baseSha, tip: change.tip };
  }
  if (ticket.approval !== undefined && awaitsApproval(ticket) && attempt.n === history.at(-1)?.n)
    return { path, from: ticket.approval.base, tip: ticket.approval.commit, waits: true };
  const landed =
    mergedSha !== undefined && attempt.n === history.findLast(({ outcome }) => outcome === "done" || outcome === "gated")?.n;
  return landed ? { path, tip: mergedSha } : undefined;
}

/** The reader's result for this target. */
export function openFileAt(state: Pick<DashboardState, "viewed">, target: Target | undefined): OpenFile | undefined {
  return target !== undefined && state.viewed?.key === target.key ? state.viewed : undefined;
}

/** The change of the question of its approval if all of it is shown behind that; else why it cannot be approved here, and what to do. */
export function shownForApproval(
  { viewed, run }: Pick<DashboardState, "viewed" | "run">,
  { ticket, commit }: Extract<Modal, { kind: "approve" }>,
): WholeChange | string {
  const shown = viewed?.change?.commit === commit ? viewed.change : undefined;
  if (isShownWhole(shown)) return shown;
  if (shown === undefined && typeof viewed?.file !== "object") return "its diff is being read: try again";
  return `its diff is not shown whole here: loopdash bound approve ${run?.run ?? ""} ${ticket} shows all of it`;
}

/** The location of a tab's file: the files of an attempt (src/adapters/run-files/run-files.ts). */
function tabFile(
  tab: TicketTab,
  entry: AttemptEntry | undefined,
): { readonly path: string; readonly kind: TextKind } | undefined {
  switch (tab) {
    // Only the log has the tokens.
    case "log":
    case "cost":
      return { path: "agent.log", kind: "log" };
    case "diff":
      return { path: "change.patch", kind: "diff" };
    case "prompt":
      return { path: "prompt.md", kind: "plain" };
    case "checks":
      return { path: "triage.md", kind: "plain" };
    case "evidence": {
      if (entry?.step === "agent") return { path: "agent.log", kind: "log" };
      const log = entry?.spec === undefined ? undefined : stepLogName(entry.spec);
      const part = entry?.isPreparing ? "-prepare" : "";
      return log === undefined ? undefined : { path: `${log.replace(/[^\w.-]+/g, "-")}${part}.log`, kind: "output" };
    }
  }
}

/** The name of a step's log; steps that run nothing have none. */
function stepLogName(spec: StepSpec): string | undefined {
  switch (spec.step) {
    case "check":
    case "review":
    case "adversary":
      return `${spec.step}-${spec.name}`;
    case "verify":
      return `verify-${stepName(spec)}`;
    default:
      return undefined;
  }
}
