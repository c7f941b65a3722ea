import { SEVERITIES } from "../../domain/batch/party.ts";
import type { Ledger, ReviewerNumbers } from "../../domain/results/ledger.ts";
import { formatStopwatch } from "../format.ts";

/** The numbers of the run in one or two short sentences. */
export function numbersLine(ledger: Ledger): string {
  const { interventions: i, claims } = ledger;
  return [
    `attempts ${ledger.attempts}`,
    claimsOfDone(claims),
    ...checksLabels(ledger.checks),
    ...suitesLabels(ledger.suites),
    ...reviewerLabels("reviewer", ledger.reviewer),
    ...(ledger.secondReviewer === null ? [] : reviewerLabels("second reviewer", ledger.secondReviewer)),
    ...claimLabels(ledger),
    `fixed without you ${fixes(ledger)}`,
    ...(ledger.remediations.made > 0 ? [`remediations ${ledger.remediations.made}, helped ${ledger.remediations.helped}`] : []),
    ...(ledger.heals > 0 ? [`heals ${ledger.heals}, accepted ${ledger.healsAccepted}`] : []),
    `incidents ${incidents(ledger)}`,
    `$ ${ledger.costUsd.toFixed(2)}`,
    `interventions ${i.total} (${i.work} work, ${i.harness} harness)`,
  ].join(" · ");
}

/** The same numbers as lines of at most `width` characters, if no single number is longer: each stays whole. */
export function numbersLines(ledger: Ledger, width: number): readonly string[] {
  const lines: string[] = [];
  for (const part of numbersLine(ledger).split(" · ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 3 + part.length <= width) lines[lines.length - 1] = `${last} · ${part}`;
    else lines.push(part);
  }
  return lines;
}

/** `claims of done 14: 5 upheld, 8 refuted, 1 not judged`: the parts add up to the whole. */
function claimsOfDone({ made, upheld, gap }: Ledger["claims"]): string {
  return `claims of done ${formatParts(made, [
    [upheld, "upheld"],
    [gap, "refuted"],
    [made - upheld - gap, "not judged"],
  ])}`;
}

/** A number and its parts, without those that are 0. */
function formatParts(whole: number, parts: readonly (readonly [n: number, word: string])[]): string {
  const words = parts.filter(([n]) => n > 0).map(([n, word]) => `${n} ${word}`);
  return words.length === 0 ? String(whole) : `${whole}: ${words.join(", ")}`;
}

/** `fixed without you 3: 1 transient, 2 failed checks`. */
function fixes({ fixAndProceed, fixAndProceedByCause: by }: Ledger): string {
  return formatParts(fixAndProceed, [
    [by.transient, by.transient === 1 ? "transient" : "transients"],
    [by.reviewFinding, by.reviewFinding === 1 ? "review finding" : "review findings"],
    [by.failedCheck, by.failedCheck === 1 ? "failed check" : "failed checks"],
    [by.liveFix, by.liveFix === 1 ? "live fix" : "live fixes"],
    [by.sentBack, "sent back by the forge"],
    [by.conflict, by.conflict === 1 ? "conflict" : "conflicts"],
  ]);
}

function incidents({ incidents: total, incidentsByKind: by }: Ledger): string {
  return formatParts(total, [
    [by.liveChecks, by.liveChecks === 1 ? "failed live check" : "failed live checks"],
    [by.brokenBases, by.brokenBases === 1 ? "broken base" : "broken bases"],
    [by.reopened, "reopened"],
  ]);
}

/** Passed checks by the strength of their proof, if there were any. An exit code is never counted as results per test. */
function checksLabels({ compared, uncompared, exitCodeOnly }: Ledger["checks"]): readonly string[] {
  const words = [
    ...(compared > 0 ? [`${compared} test by test`] : []),
    ...(uncompared > 0 ? [`${uncompared} with nothing to compare`] : []),
    ...(exitCodeOnly > 0 ? [`${exitCodeOnly} by exit code only`] : []),
  ];
  return words.length === 0 ? [] : [`checks ${words.join(", ")}`];
}

/** `suites run 9, 1.5 per landed ticket` and `4:10 in checks, 1:02 in proof, 0:40 waiting`, if any ran. */
function suitesLabels({ run, perLanded, checkMs, proofMs, waitingMs }: Ledger["suites"]): readonly string[] {
  if (run === 0) return [];
  const times = [
    `${formatStopwatch(checkMs)} in checks`,
    ...(proofMs > 0 ? [`${formatStopwatch(proofMs)} in proof`] : []),
    `${formatStopwatch(waitingMs)} waiting`,
  ];
  return [`suites run ${run}${perLanded === null ? "" : `, ${perLanded.toFixed(1)} per landed ticket`}`, times.join(", ")];
}

/** The questions to a reviewer, if there were any, with its valid answers and missed canaries. */
function reviewerLabels(name: string, { questions, valid, usd, canaries, findings }: ReviewerNumbers): readonly string[] {
  if (questions === 0) return [];
  const found = SEVERITIES.reduce((sum, severity) => sum + findings[severity], 0);
  const planted = canaries.seen + canaries.missed;
  const whose = name === "reviewer" ? "" : "its ";
  return [
    `${name} asked ${questions}, answered ${valid}${usd > 0 ? `, $ ${usd.toFixed(2)}` : ""}`,
    ...(found === 0
      ? []
      : [
          `${whose}findings ${formatParts(
            found,
            SEVERITIES.map((severity) => [findings[severity], severity] as const),
          )}`,
        ]),
    ...(planted > 0 ? [`${whose}canaries ${planted}, missed ${canaries.missed}`] : []),
  ];
}

function blockerClaims({ claimed, upheld, fake }: Ledger["blockers"]): string {
  return `blocker claims ${formatParts(claimed, [
    [upheld, "upheld"],
    [fake, "rejected"],
    [claimed - upheld - fake, "not ruled on"],
  ])}`;
}

/** Workers' claims beside their changes, transients, and preparations that were copies; each if there were any. */
function claimLabels({ blockers, discoveries, guard, preparations, transients }: Ledger): readonly string[] {
  return [
    ...(blockers.claimed > 0 ? [blockerClaims(blockers)] : []),
    ...(discoveries.filed + discoveries.refused > 0
      ? [`discoveries filed ${discoveries.filed}${discoveries.refused > 0 ? `, refused ${discoveries.refused}` : ""}`]
      : []),
    ...(transients.retried > 0 ? [`transients ${transients.retried}: ${transients.passed} passed on retry`] : []),
    ...(preparations.reused > 0
      ? [`preparations ${preparations.made + preparations.reused}: ${preparations.reused} reused`]
      : []),
    ...(guard.blocked > 0 ? [`commands that the guard blocked ${guard.blocked}`] : []),
    ...(guard.dead > 0 ? [`dead guards ${guard.dead}`] : []),
  ];
}
