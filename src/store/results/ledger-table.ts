import { PARTY_NAMES, type ReviewerParty, SEVERITIES } from "../../domain/batch/party.ts";
import { REMEDY_ACTIONS } from "../../domain/batch/remedy-spec.ts";
import { INTERVENTION_WORDS } from "../../domain/results/intervention.ts";
import { computeLedger } from "../../domain/results/ledger.ts";
import { type EarlierRun, type Numbers, runNumbers } from "../../domain/results/trend.ts";
import type { RunState } from "../../domain/run/state.ts";
import { formatDuration } from "../../domain/values/time.ts";
import { formatCents } from "../format.ts";

type Unit = "count" | "usd" | "time" | "ratio";

/** One number of the ledger, for people. */
interface RowSpec {
  readonly name: string;
  readonly unit: Unit;
  readonly value: (numbers: Numbers) => number | undefined;
  /** The row is shown even if it is 0 in every run. */
  readonly always?: true;
  /** The direction that is better, if there is one. */
  readonly better?: "less" | "more";
}

interface GroupSpec {
  readonly title: string;
  readonly rows: readonly RowSpec[];
}

const get = (key: string) => (numbers: Numbers) => numbers[key];

/** Divides one number by another. Undefined if either is unknown or the divisor is 0. */
const per =
  (a: string, b: string, times = 1) =>
  (numbers: Numbers): number | undefined => {
    const [above, below] = [numbers[a], numbers[b]];
    return above === undefined || below === undefined || below === 0 ? undefined : (above / below) * times;
  };

/** The rows of a reviewer's answers; `prefix` tells those of the second from those of the other. */
const reviewerRows = (party: ReviewerParty, prefix: string): readonly RowSpec[] => [
  { name: `${PARTY_NAMES[party]} asked`, unit: "count", value: get(`${party}.questions`) },
  { name: `${PARTY_NAMES[party]}'s valid answers`, unit: "count", value: get(`${party}.valid`) },
  ...SEVERITIES.map(
    (severity): RowSpec => ({
      name: `${prefix}${severity} findings`,
      unit: "count",
      value: get(`${party}.findings.${severity}`),
    }),
  ),
  { name: `${prefix}planted defects seen`, unit: "count", value: get(`${party}.canaries.seen`) },
  { name: `${prefix}planted defects missed`, unit: "count", value: get(`${party}.canaries.missed`), better: "less" },
];

const GROUPS: readonly GroupSpec[] = [
  {
    title: "Tickets",
    rows: [
      { name: "in the batch", unit: "count", value: get("tickets.total"), always: true },
      { name: "shipped", unit: "count", value: get("tickets.shipped"), always: true, better: "more" },
      { name: "settled before the run", unit: "count", value: get("tickets.before") },
      { name: "closed by a person", unit: "count", value: get("tickets.closedByPerson") },
      { name: "left to a person", unit: "count", value: get("tickets.gated"), always: true },
      { name: "open", unit: "count", value: get("tickets.open"), always: true, better: "less" },
      { name: "found by workers and filed", unit: "count", value: get("discoveries.filed") },
      { name: "found by workers and refused", unit: "count", value: get("discoveries.refused") },
    ],
  },
  {
    title: "People",
    rows: [
      { name: "interventions", unit: "count", value: get("interventions.total"), always: true, better: "less" },
      { name: "on the tickets' work", unit: "count", value: get("interventions.work"), always: true },
      { name: "on the harness", unit: "count", value: get("interventions.harness"), always: true },
      {
        name: "per 10 shipped tickets",
        unit: "ratio",
        value: per("interventions.total", "tickets.shipped", 10),
        always: true,
        better: "less",
      },
      { name: "became tickets", unit: "count", value: get("interventions.becameTickets") },
      ...Object.entries(INTERVENTION_WORDS).map(
        ([key, words]): RowSpec => ({ name: words, unit: "count", value: get(`interventions.byClass.${key}`) }),
      ),
    ],
  },
  {
    title: "Money and time",
    rows: [
      { name: "cost", unit: "usd", value: get("costUsd"), always: true, better: "less" },
      { name: "cost per shipped ticket", unit: "usd", value: per("costUsd", "tickets.shipped"), always: true, better: "less" },
      { name: "of it for the reviewer", unit: "usd", value: get("reviewer.usd") },
      { name: "of it for the second reviewer", unit: "usd", value: get("secondReviewer.usd") },
      { name: "time", unit: "time", value: get("elapsedMs"), always: true, better: "less" },
      { name: "time of all attempts together", unit: "time", value: get("agentMs"), always: true },
      { name: "attempts at once, on average", unit: "ratio", value: per("agentMs", "elapsedMs"), always: true },
    ],
  },
  {
    title: "Claims against verdicts",
    rows: [
      { name: "claims of done", unit: "count", value: get("claims.made"), always: true },
      { name: "claims of done upheld", unit: "count", value: get("claims.upheld"), always: true },
      { name: "claims of done refuted", unit: "count", value: get("claims.gap"), always: true, better: "less" },
      { name: "blocker claims", unit: "count", value: get("blockers.claimed") },
      { name: "blocker claims upheld", unit: "count", value: get("blockers.upheld") },
      { name: "blocker claims rejected", unit: "count", value: get("blockers.fake"), better: "less" },
      { name: "incidents after a landing", unit: "count", value: get("incidents"), always: true, better: "less" },
      { name: "failed live checks", unit: "count", value: get("incidentsByKind.liveChecks"), better: "less" },
      { name: "broken bases", unit: "count", value: get("incidentsByKind.brokenBases"), better: "less" },
      { name: "done, then found not so", unit: "count", value: get("incidentsByKind.reopened"), better: "less" },
    ],
  },
  {
    title: "Attempts and repairs",
    rows: [
      { name: "attempts", unit: "count", value: get("attempts"), always: true, better: "less" },
      {
        name: "attempts per shipped ticket",
        unit: "ratio",
        value: per("attempts", "tickets.shipped"),
        always: true,
        better: "less",
      },
      { name: "fixed without you", unit: "count", value: get("fixAndProceed"), always: true },
      { name: "after a transient", unit: "count", value: get("fixAndProceedByCause.transient") },
      { name: "after a review finding", unit: "count", value: get("fixAndProceedByCause.reviewFinding") },
      { name: "after a failed check", unit: "count", value: get("fixAndProceedByCause.failedCheck") },
      { name: "after a failed live check", unit: "count", value: get("fixAndProceedByCause.liveFix") },
      { name: "after the forge sent it back", unit: "count", value: get("fixAndProceedByCause.sentBack") },
      { name: "after a conflict", unit: "count", value: get("fixAndProceedByCause.conflict") },
      { name: "transients retried", unit: "count", value: get("transients.retried") },
      { name: "preparations made", unit: "count", value: get("preparations.made") },
      { name: "preparations reused", unit: "count", value: get("preparations.reused") },
      { name: "commands that the guard blocked", unit: "count", value: get("guard.blocked") },
      { name: "dead guards", unit: "count", value: get("guard.dead"), better: "less" },
      { name: "remediations", unit: "count", value: get("remediations.made") },
      { name: "remediations that helped", unit: "count", value: get("remediations.helped") },
      ...REMEDY_ACTIONS.flatMap((action): RowSpec[] => [
        { name: `${action}`, unit: "count", value: get(`remediations.byAction.${action}.made`) },
        { name: `${action} that helped`, unit: "count", value: get(`remediations.byAction.${action}.helped`) },
      ]),
      { name: "heals", unit: "count", value: get("heals"), always: true },
      { name: "heals accepted", unit: "count", value: get("healsAccepted") },
    ],
  },
  {
    title: "What was checked",
    rows: [
      { name: "checks compared test by test", unit: "count", value: get("checks.compared") },
      { name: "checks with nothing to compare", unit: "count", value: get("checks.uncompared") },
      { name: "checks by exit code only", unit: "count", value: get("checks.exitCodeOnly") },
      { name: "suites run", unit: "count", value: get("suites.run"), better: "less" },
      { name: "suites per landed ticket", unit: "ratio", value: get("suites.perLanded"), better: "less" },
      { name: "time in checks", unit: "time", value: get("suites.checkMs") },
      { name: "time in proofs", unit: "time", value: get("suites.proofMs") },
      { name: "time that finished work waited", unit: "time", value: get("suites.waitingMs"), better: "less" },
      ...reviewerRows("reviewer", ""),
      ...reviewerRows("secondReviewer", "second: "),
    ],
  },
];

/** A change from the run that it is compared with: `−2`, and if that is better. */
export interface NumberChange {
  readonly text: string;
  readonly good: boolean | undefined;
}

export interface LedgerRow {
  readonly name: string;
  readonly now: string;
  /** Absent if there is no fair comparison: see `against`. */
  readonly change?: NumberChange;
  /** One text per earlier run, newest first. */
  readonly earlier: readonly string[];
}

/** The ledger as a table: groups of rows, with earlier runs beside this one. */
export interface LedgerTable {
  readonly groups: readonly { readonly title: string; readonly rows: readonly LedgerRow[] }[];
  readonly runs: readonly EarlierRun[];
  /** The run that this one is compared with. */
  readonly against?: EarlierRun;
  /** The reason why there is no comparison. Absent if there is one, and if there are no earlier runs. */
  readonly whyNone?: string;
}

/** Shown for an unknown number. */
const UNKNOWN = "–";

/**
 * The ledger of a run beside earlier ones of its batch file (newest first). Rows that are 0 everywhere are left out, except those
 * marked `always`.
 */
export function ledgerTable(state: RunState, earlier: readonly EarlierRun[]): LedgerTable {
  const now = runNumbers(state);
  const against = comparable(state, earlier);
  const ledgerRow = (spec: RowSpec): LedgerRow => {
    const change = typeof against === "object" ? numberChange(spec, now, against.numbers) : undefined;
    return {
      name: spec.name,
      now: format(spec.unit, spec.value(now)),
      change,
      earlier: earlier.map(({ numbers }) => format(spec.unit, numbers === undefined ? undefined : spec.value(numbers))),
    };
  };
  const all = [now, ...earlier.map(({ numbers }) => numbers ?? {})];
  const shown = (spec: RowSpec): boolean => spec.always === true || all.some((numbers) => (spec.value(numbers) ?? 0) !== 0);
  const groups = GROUPS.map(({ title, rows }) => ({ title, rows: rows.filter(shown).map(ledgerRow) }));
  return {
    groups: groups.filter(({ rows }) => rows.length > 0),
    runs: earlier,
    ...(typeof against === "object" ? { against } : against === undefined ? {} : { whyNone: against }),
  };
}

/**
 * The newest earlier run that this one may be compared with: both are complete, this one had work to do, and the batch file is the
 * same to the byte.
 * Otherwise the reason, or undefined if there are no earlier runs.
 */
function comparable(state: RunState, earlier: readonly EarlierRun[]): EarlierRun | string | undefined {
  if (earlier.length === 0) return undefined;
  if (state.end === undefined) return "no changes are shown: this run has not ended";
  if (state.end.verdict !== "done") return "no changes are shown: this run is not complete, and leaving early keeps numbers low";
  if (computeLedger(state).attempts === 0) return "no changes are shown: this run had nothing to work on";
  const complete = earlier.filter(({ verdict, numbers }) => verdict === "done" && numbers !== undefined);
  if (complete.length === 0) return "no changes are shown: no earlier run was complete";
  return (
    complete.find(({ sameBatch }) => sameBatch) ?? "no changes are shown: the batch file was another one in every complete run"
  );
}

function numberChange({ unit, value, better }: RowSpec, now: Numbers, before: Numbers | undefined): NumberChange | undefined {
  const [a, b] = [value(now), before === undefined ? undefined : value(before)];
  if (a === undefined || b === undefined) return undefined;
  const text = format(unit, Math.abs(a - b));
  if (text === format(unit, 0)) return { text: "=", good: undefined };
  const good = better === undefined ? undefined : a < b === (better === "less");
  return { text: `${a < b ? "−" : "+"}${text}`, good };
}

function format(unit: Unit, value: number | undefined): string {
  if (value === undefined) return UNKNOWN;
  switch (unit) {
    case "count":
      return String(value);
    case "usd":
      return formatCents(value);
    case "ratio":
      return value.toFixed(1);
    case "time":
      return formatDuration(value);
  }
}
