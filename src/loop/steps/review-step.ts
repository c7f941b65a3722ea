import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ReviewerParty, reviewerParty } from "../../domain/batch/party.ts";
import type { StepSpec } from "../../domain/batch/step-spec.ts";
import { boundForReviewer } from "../../domain/bound/bound-text.ts";
import { readAnswer } from "../../domain/review/answer.ts";
import { Attack, ruleOnAttack } from "../../domain/review/attack.ts";
import { type FilePatch, readPatch, showDiff } from "../../domain/review/diff.ts";
import { canaryDue, type Plant, plantDefect, sawPlant, withPlant } from "../../domain/review/plant.ts";
import { countBySeverity, Review, type Ruling, ruleOnReview } from "../../domain/review/review.ts";
import { isWholePatch } from "../../domain/review/shown-change.ts";
import { partyCounts } from "../../domain/run/reviewer-counts.ts";
import { ticketById } from "../../domain/run/state.ts";
import { questionCap } from "../../domain/schedule/money.ts";
import type { Candidate, Change, ChangedPath, Repo } from "../../ports/vcs.ts";
import type { StepScope } from "../programs/scope.ts";
import { type Ask, askReviewer, type QuestionContext, type QuestionScope } from "../questions/ask.ts";
import { type AboutChange, approvable, DIFF_CHARS, renderQuestion } from "../questions/question-prompt.ts";
import { replayAttack, runSmoke, showAttackText } from "./attack-commands.ts";
import type { StepContext, StepResult } from "./step.ts";

/**
 * Lets the step's reviewer read the candidate in a checkout that nobody can write. The step fails without a valid review of this very
 * commit, and with a finding that blocks. The findings are kept in a file of the attempt.
 */
export async function runReviewStep(
  ctx: QuestionContext,
  scope: QuestionScope,
  repo: Repo,
  options: {
    readonly spec: Extract<StepSpec, { step: "review" }>;
    readonly candidate: Extract<Candidate, { ok: true }>;
    readonly change: Change;
    /** Files that judge the change. Its review approves those that it was shown whole. */
    readonly judges?: readonly string[];
  },
): Promise<StepResult> {
  const { spec, candidate } = options;
  const judges = approvable(options.judges ?? []);
  const diff = await readCandidateDiff(scope, repo, candidate);
  const party = reviewerParty(spec);
  const about = { ...describeCandidate(ctx, scope, candidate, { diff, party }), judges };
  const ask = {
    question: "review",
    party,
    name: spec.name,
    commit: candidate.commit,
    attributesOf: candidate.base,
    minutes: spec.minutes ?? ctx.batch.limits.minutesPerAttempt,
    read: (text: string, nonce: string) => readReview(text, { nonce, about }),
  } as const;
  await askCanary(ctx, scope, repo, { ask, about, diff });
  const asked = await askReviewer(ctx, scope, repo, {
    ...ask,
    prompt: ({ ticket, ...by }) => renderQuestion(ctx.templates.reviewer, { ...about, ticket }, by),
  });
  if (!asked.ok)
    return { ok: false, evidence: { step: "review", name: spec.name, summary: `no review: ${asked.why}`, detail: "" } };
  const ruling = ruleOnReview(asked.value, about.blocking);
  await keep(ctx, scope, `review-${spec.name}`, { party, answer: { ...asked.value, passed: ruling.ok } });
  const result = rulingResult(ruling, { step: "review", name: spec.name, commit: candidate.commit, whole: about.whole });
  if (!result.ok || !about.whole) return result;
  // What an earlier ticket of the run did to a file is not in this diff.
  const shown = new Set(diff.paths.map(({ path }) => path));
  const approves = judges.filter((path) => shown.has(path));
  return approves.length === 0 ? result : { ...result, approves };
}

/** The part of a question that describes this candidate. */
function describeCandidate(
  ctx: QuestionContext,
  scope: QuestionScope,
  { base, commit }: Extract<Candidate, { ok: true }>,
  { diff, party = "reviewer" }: { readonly diff: CandidateDiff; readonly party?: ReviewerParty },
): AboutChange & { readonly whole: boolean } {
  const { text, whole } = showDiff(diff.files, DIFF_CHARS);
  const blocking = ctx.batch[party]?.blocking ?? "high";
  const bound = boundForReviewer(ctx.batch.bounds?.[scope.ticket.repo]);
  return { ticket: scope.ticket, base, commit, paths: diff.paths, diff: text, blocking, bound, whole: whole && diff.whole };
}

/** A ruling as the result of its step. */
function rulingResult(
  { ok, summary, detail }: Ruling,
  {
    step,
    name,
    whole,
    commit,
  }: { readonly step: "review" | "adversary"; readonly name: string; readonly commit: string; readonly whole: boolean },
): StepResult {
  if (!ok) return { ok, evidence: { step, name, summary, detail } };
  return { ok, summary: whole ? summary : `${summary} (its prompt held a part of the diff)`, commit };
}

/** Keeps an answer for people, next to the attempt's logs. */
async function keep(
  ctx: QuestionContext,
  scope: QuestionScope,
  name: string,
  { answer, party = "reviewer" }: { readonly answer: object; readonly party?: ReviewerParty },
): Promise<void> {
  const file = join(scope.files.folder, `${name.replace(/[^\w.-]+/g, "-")}.json`);
  await ctx.files.write(file, `${JSON.stringify({ model: ctx[party]?.name, ...answer }, undefined, 2)}\n`);
}

function readReview(text: string, { nonce, about }: { readonly nonce: string; readonly about: AboutChange }) {
  const reading = readAnswer(text, { nonce, tree: about.commit, schema: Review });
  if (!reading.ok) return reading;
  const { findings } = reading.value;
  return { ...reading, says: ruleOnReview(reading.value, about.blocking).summary, findings: countBySeverity(findings) };
}

/**
 * Sometimes asks a reviewer about the same change with a planted defect, and records whether it saw it. Neither its answer nor
 * a missing answer decides anything about the ticket. A change that has no place for a defect leaves its turn to the next; so
 * does one whose own review could then not be paid.
 */
async function askCanary(
  ctx: QuestionContext,
  scope: QuestionScope,
  repo: Repo,
  options: {
    readonly ask: Omit<Ask<Review>, "prompt"> & { readonly party: ReviewerParty };
    readonly about: AboutChange;
    readonly diff: CandidateDiff;
  },
): Promise<void> {
  const state = ctx.state();
  const { party } = options.ask;
  if (!canaryDue(partyCounts(state, party), ctx.batch[party]?.canaryEvery ?? 0)) return;
  // The question about the change itself must still be affordable afterwards.
  const both = 2 * (ctx[party]?.reserveUsd ?? 0);
  if (questionCap(state, ticketById(state, scope.ticket.id), both) !== undefined) return;
  const planted = plantDefect(options.diff.files);
  const text = planted === undefined ? undefined : await plantedText(repo, options, planted.plant);
  if (planted === undefined || text === undefined) return;
  const { plant } = planted;
  const shown = showDiff(planted.files, DIFF_CHARS);
  if (!shown.text.includes(`\n+${plant.is}\n`)) return;
  const about = { ...options.about, diff: shown.text };
  await askReviewer(ctx, scope, repo, {
    ...options.ask,
    prompt: ({ ticket, ...by }) => renderQuestion(ctx.templates.reviewer, { ...about, ticket }, by),
    plant: (checkout) => ctx.files.write(join(checkout, plant.path), text),
    canary: (review) => (sawPlant(review, plant) ? "seen" : "missed"),
  });
}

/** The file with the defect; undefined if it is no plain file, or not the one that the diff shows. */
async function plantedText(
  repo: Repo,
  { about, diff }: { readonly about: AboutChange; readonly diff: CandidateDiff },
  plant: Plant,
): Promise<string | undefined> {
  const changed = diff.paths.find(({ path, how }) => path === plant.path && how !== "deleted");
  if (changed?.mode !== "file" && changed?.mode !== "executable") return undefined;
  const text = await repo.readFile({ commit: about.commit, path: plant.path });
  return text === undefined ? undefined : withPlant(text, plant);
}

/**
 * Checks that normal work still works on the candidate, then lets the reviewer attack it. A change has not survived if normal
 * work fails, if there is no valid verdict, or if the attack that the reviewer has to show gets through, whatever it says about it.
 */
export async function runAdversaryStep(
  ctx: StepContext,
  scope: QuestionScope,
  repo: Repo,
  options: {
    readonly spec: Extract<StepSpec, { step: "adversary" }>;
    readonly candidate: Extract<Candidate, { ok: true }>;
    readonly change: Change;
  },
): Promise<StepResult> {
  const { spec, candidate } = options;
  const { commit } = candidate;
  const broken = await runSmoke(ctx, scope, repo, spec, candidate);
  if (broken !== undefined) return { ok: false, evidence: broken };
  const about = describeCandidate(ctx, scope, candidate, { diff: await readCandidateDiff(scope, repo, candidate) });
  const asked = await askReviewer(ctx, scope, repo, {
    question: "adversary",
    name: spec.name,
    commit,
    attributesOf: candidate.base,
    minutes: spec.minutes ?? ctx.batch.limits.minutesPerAttempt,
    prompt: ({ ticket, ...by }) => `${renderQuestion(ctx.templates.adversary, { ...about, ticket }, by)}${showAttackText(spec)}`,
    read: (text, nonce) => {
      const reading = readAnswer(text, { nonce, tree: commit, schema: Attack });
      if (!reading.ok) return reading;
      const findings = countBySeverity(reading.value.broken ? [reading.value] : []);
      return { ...reading, says: ruleOnAttack(reading.value, about.blocking).summary, findings };
    },
  });
  const name = { step: "adversary", name: spec.name } as const;
  if (!asked.ok) return { ok: false, evidence: { ...name, summary: `no verdict: ${asked.why}`, detail: "" } };
  const ruling = ruleOnAttack(asked.value, about.blocking);
  const shown = await replayAttack(ctx, scope, repo, { ...options, shown: asked.value.shown });
  await keep(ctx, scope, `adversary-${spec.name}`, { answer: { ...asked.value, survived: ruling.ok && shown === undefined } });
  if (shown !== undefined) return { ok: false, evidence: shown };
  const smoke = spec.smoke === undefined ? "" : "; normal work still works";
  return rulingResult(
    { ...ruling, summary: `${ruling.summary}${ruling.ok ? smoke : ""}` },
    { ...name, commit, whole: about.whole },
  );
}

/** Bytes of a candidate's patch that are read; the rest can be seen in the checkout. */
const PATCH_BYTES = 4_000_000;

/** The changes of a candidate, as it would land. */
interface CandidateDiff {
  readonly paths: readonly ChangedPath[];
  readonly files: readonly FilePatch[];
  /** False if the patch was too long to be read to its end. */
  readonly whole: boolean;
}

/** Reads a candidate's changes to its base. Writes the patch to a file of the attempt. */
async function readCandidateDiff(
  scope: Pick<StepScope, "files">,
  repo: Repo,
  { base, commit }: Pick<Extract<Candidate, { ok: true }>, "base" | "commit">,
): Promise<CandidateDiff> {
  const file = join(scope.files.folder, "candidate.patch");
  const [{ paths }] = await Promise.all([
    repo.change({ from: base, tip: commit }),
    repo.writePatch({ from: base, tip: commit, file, maxBytes: PATCH_BYTES, shown: true }),
  ]);
  const text = await readFile(file, "utf8");
  return { paths, files: readPatch(text), whole: isWholePatch(text) };
}
