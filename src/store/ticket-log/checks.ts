import stringWidth from "string-width";
import type { SeenCheck, TicketPullRequest } from "../../domain/forge/pull-request-fact.ts";
import { pushTime } from "../../domain/forge/push-time.ts";
import { isFromForge } from "../../domain/run/attempt-fact.ts";
import { findLanding } from "../../domain/run/carry-over.ts";
import type { PastAttempt, TicketState } from "../../domain/run/ticket-state.ts";
import { plannedTicket } from "../../domain/schedule/plan.ts";
import type { DashboardState } from "../dashboard-state.ts";
import { displayText, formatAge, formatMinute } from "../format.ts";
import { rerunReason } from "../labels/pull-request-label.ts";
import { agoText, checksPart, ordinal, seenAt, staleReading } from "../labels/pull-request-status.ts";
import { STYLES, type Style, type Tone } from "../labels/tone.ts";
import { pastEvidence } from "./attempts.ts";
import type { LogLine } from "./line-ring.ts";

type State = Pick<DashboardState, "run" | "ui" | "now">;

/** Columns of the name of a fact, and at most of a check's name. */
const [NAME, MOST_CHECK] = [13, 32];
const SHORT_SHA = 12;

/** The states of a check with their words, in the order of the list. `absent`: it is required, and nobody has registered it. */
const STATES = {
  failed: [STYLES.failed, "failed"],
  running: [STYLES.step, "running"],
  waiting: [STYLES.waits, "waiting"],
  absent: [STYLES.unknown, "not registered"],
  passed: [STYLES.done, "passed"],
} as const satisfies Readonly<Record<string, readonly [Style, string]>>;
const ORDER = Object.keys(STATES) as (keyof typeof STATES)[];

const REVIEWS = {
  none: "no review is required",
  approved: "approved",
  "approval-missing": "missing",
  "changes-requested": "somebody asked for changes",
} as const;

/** True if checks at a forge decide about the changes of a ticket: those of its pull request, or of its branch. */
export function landsByPullRequest({ run }: Pick<DashboardState, "run">, { id }: TicketState): boolean {
  return CHECKED.has(forgeKind(run, id));
}

/** The kinds of forges whose checks decide. */
const CHECKED: ReadonlySet<string> = new Set(["github", "github-branch"]);

function forgeKind(run: DashboardState["run"], id: TicketState["id"]): string {
  return run?.batch.repos[plannedTicket(run.plan, id).repo]?.forge?.kind ?? "local";
}

/** The last attempt, up to the n-th, that failed at its pull request and has left a triage. */
export function triagedAttempt(ticket: TicketState, n: number): PastAttempt | undefined {
  return ticket.history.findLast((past) => {
    const evidence = past.n <= n ? pastEvidence(ticket, past) : undefined;
    return evidence !== undefined && isFromForge(evidence);
  });
}

/** The pull request of a ticket with its checks, or the reason why there is none. */
export function checksLines(state: State, ticket: TicketState): readonly LogLine[] {
  const { run } = state;
  const { pullRequest } = ticket;
  if (run === undefined) return [];
  if (pullRequest === undefined) return [line(whyNone(state, ticket), "waiting")];
  const rows = checkRows(pullRequest, state.now);
  return [
    ...factLines(state, ticket, pullRequest),
    line(""),
    line(checksTitle(pullRequest), pullRequest.seen === undefined ? "waiting" : "plain"),
    ...rows,
  ];
}

function line(text: string, tone: Tone = "plain"): LogLine {
  return { text, tone };
}

function whyNone({ run }: State, { id }: TicketState): string {
  const repo = run && plannedTicket(run.plan, id).repo;
  const kind = forgeKind(run, id);
  if (kind === "github-branch") return "no checks yet: the branch has not been read";
  if (kind === "github") return "no pull request yet: it is opened once the change has passed the steps before merge";
  return `no pull request: the changes of ${displayText(repo ?? "")} land by the forge "${kind}"`;
}

function fact(name: string, value: string, more: Partial<LogLine> = {}): LogLine {
  return { text: `${name.padEnd(NAME)}${value}`, tone: "plain", ...more };
}

function factLines(state: State, ticket: TicketState, pullRequest: TicketPullRequest): readonly LogLine[] {
  const { branch, head, seen, requests = [] } = pullRequest;
  const { run, now } = state;
  const base = seen?.base ?? pullRequestBase(state, ticket);
  const isBranch = forgeKind(run, ticket.id) === "github-branch";
  const pushedAt = run && pushTime(run, ticket);
  const pushed = pushedAt === undefined ? [] : [`pushed ${agoText(now - pushedAt)} (${formatMinute(pushedAt)})`];
  const stale = run && staleReading(run, ticket, seenAt(state));
  const asked = requests.map((each) =>
    each.kind === "review" ? `asks ${each.login} for a review` : "starts failed checks again",
  );
  return [
    ...(isBranch && pullRequest.number === undefined ? [] : [numberLine(pullRequest)]),
    ...(stale === undefined ? [] : [fact("stale", staleText(stale), { tone: "person" })]),
    ...landedLine(ticket),
    fact("branch", displayText(branch)),
    fact("base", displayText(base)),
    fact("head", [displayText(head.slice(0, SHORT_SHA)), ...pushed].join(" · ")),
    ...(isBranch ? [] : mergeLines(pullRequest)),
    ...(seen?.waits === undefined || seen.queuePosition !== undefined
      ? []
      : [fact("waits", displayText(seen.waits.replace(/^waits /, "")), { tone: "waiting" })]),
    ...rerunLine(pullRequest),
    ...(asked.length === 0 ? [] : [fact("under way", displayText(asked.join(", ")), { tone: "running" })]),
  ];
}

/** What is stale, since when, and why. */
function staleText({ since, forge }: NonNullable<ReturnType<typeof staleReading>>): string {
  const why = forge === undefined ? "is not being read" : `cannot be read, the forge is ${forge}`;
  return `since ${formatMinute(since)}: what follows ${why}`;
}

/** The checks that loopdash has started again, and why. */
function rerunLine({ rerun = [], rerunCategory }: TicketPullRequest): readonly LogLine[] {
  if (rerun.length === 0) return [];
  return [fact("re-run once", [displayText([...new Set(rerun)].join(", ")), ...rerunReason(rerunCategory)].join("; "))];
}

function mergeLines(pullRequest: TicketPullRequest): readonly LogLine[] {
  const { reviewers = [] } = pullRequest;
  return [
    fact("merge queue", queueText(pullRequest)),
    fact("approval", `${reviewText(pullRequest)}${reviewers.length === 0 ? "" : ` · asked: ${reviewers.join(", ")}`}`),
  ];
}

/** The base by the batch: the pull request is pointed at it, until a reading says otherwise. */
function pullRequestBase({ run }: State, { id }: TicketState): string {
  return (run === undefined ? undefined : run.batch.repos[plannedTicket(run.plan, id).repo]?.base) ?? "unknown";
}

function numberLine({ number, url }: TicketPullRequest): LogLine {
  if (number === undefined) return fact("pull request", "its branch is being pushed; it has no number yet", { tone: "waiting" });
  if (url === undefined) return fact("pull request", `#${number}`);
  return fact("pull request", `#${number}  ${displayText(url)}`, { links: [{ text: `#${number}`, url }] });
}

function landedLine(ticket: TicketState): readonly LogLine[] {
  const landing = findLanding(ticket);
  return landing === undefined ? [] : [fact("landed", `as ${landing.sha.slice(0, SHORT_SHA)}`, { tone: "good" })];
}

function queueText({ seen }: TicketPullRequest): string {
  if (seen === undefined) return "unknown";
  return seen.queuePosition === undefined ? "not in one" : ordinal(seen.queuePosition);
}

function reviewText({ seen }: TicketPullRequest): string {
  return seen?.review === undefined ? "unknown" : REVIEWS[seen.review];
}

function checksTitle(pullRequest: TicketPullRequest): string {
  const unlisted = pullRequest.seen?.unlisted;
  const more = unlisted === undefined ? "" : `; ${unlisted.total} of them are not listed here`;
  return `CHECKS  ${checksPart(pullRequest)}${more}`;
}

interface Row extends Pick<SeenCheck, "name" | "isRequired" | "url"> {
  readonly state: keyof typeof STATES;
  readonly since?: number | undefined;
}

/** Each check with its state, the worst first: since when it is in it, whether it is required, and its page. */
function checkRows({ seen, checksSince }: TicketPullRequest, now: number): readonly LogLine[] {
  if (seen === undefined) return [];
  const rows: readonly Row[] = [
    ...seen.checks.map((check, i) => ({ ...check, name: displayText(check.name), since: checksSince?.[i] })),
    ...(seen.missing ?? []).map((name) => ({ name: displayText(name), state: "absent", isRequired: true }) as const),
  ];
  const width = Math.min(MOST_CHECK, Math.max(0, ...rows.map(({ name }) => stringWidth(name))));
  return rows.toSorted((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state)).map((row) => checkLine(row, { width, now }));
}

function checkLine(
  { name, state, isRequired, url, since }: Row,
  { width, now }: { readonly width: number; readonly now: number },
): LogLine {
  const [{ glyph, tone }, word] = STATES[state];
  const need = isRequired === undefined ? "" : isRequired ? "required" : "optional";
  const pad = " ".repeat(Math.max(0, width - stringWidth(name)));
  const age = since === undefined ? "" : now - since < 60_000 ? "<1m" : formatAge(now - since);
  const cells = [
    `${glyph} ${name}${pad}`,
    word.padEnd(7),
    need.padEnd(8),
    age.padStart(3),
    url === undefined ? "" : displayText(url),
  ];
  const text = cells.join("  ").trimEnd();
  return { text, tone, links: url === undefined ? undefined : [{ text: name, url }] };
}
