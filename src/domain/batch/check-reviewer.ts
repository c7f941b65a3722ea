import { COMPLEXITIES } from "../complexity/classes.ts";
import { checkAccounts } from "./check-agent.ts";
import { checkArgument } from "./check-secrets.ts";
import { resolveRoutes } from "./complexity-spec.ts";
import {
  type AgentSpec,
  allAccounts,
  PARTY_NAMES,
  type Party,
  type ReviewerParty,
  type ReviewerSpec,
  reviewerParty,
  reviewUsd,
  type VendorSpec,
} from "./party.ts";
import { unfitForLine, unfitForPath } from "./plain-words.ts";
import type { NoteProblem, Path } from "./problem.ts";
import type { BatchFile } from "./schema.ts";
import type { StepSpec } from "./step-spec.ts";
import { VENDORS } from "./vendors.ts";

type Vendor<T> = Exclude<T, { kind: "command" }>;

/**
 * Reports steps that ask a missing reviewer, and a reviewer that could never start, must not, or is no different model: the agent
 * itself under another key reviews nothing (adversary case B15). Two reviewers are two models as well.
 */
export function checkReviewer(file: BatchFile, report: NoteProblem): void {
  const { agent, reviewer, secondReviewer } = file;
  // One mistake is told once: who asks whom is looked at when both are there.
  if (reviewer === undefined && secondReviewer !== undefined)
    return report(["secondReviewer"], "reads second, and the batch has no first reviewer", 'name one under "reviewer"');
  checkAskedReviewers(file, report);
  if (reviewer !== undefined) {
    checkReviewerSpec(file, { who: "reviewer", spec: reviewer }, report);
    checkOther({ who: "agent", spec: agent }, { who: "reviewer", spec: reviewer }, report);
  }
  if (secondReviewer === undefined) return;
  const second = { who: "secondReviewer", spec: secondReviewer } as const;
  checkReviewerSpec(file, second, report);
  if (checkOther({ who: "agent", spec: agent }, second, report) && reviewer !== undefined)
    checkOther({ who: "reviewer", spec: reviewer }, second, report);
  checkSecond(file, secondReviewer, report);
}

/** A program that a batch names, and its key. */
interface Named<Who extends Party = Party> {
  readonly who: Who;
  readonly spec: AgentSpec | ReviewerSpec;
}

function checkReviewerSpec(
  file: BatchFile,
  { who, spec }: { readonly who: ReviewerParty; readonly spec: ReviewerSpec },
  report: NoteProblem,
): void {
  if (spec.kind === "command")
    spec.command.forEach((word, i) => {
      const unfit = unfitForLine(word);
      if (unfit !== undefined) report([who, "command", i], unfit);
      checkArgument(word, [who, "command", i], report);
    });
  else checkVendor(file, { who, spec }, report);
  checkCost(file, { who, spec }, report);
}

/** Reports a second reviewer that nothing asks, and what it could not use. */
function checkSecond(file: BatchFile, spec: ReviewerSpec, report: NoteProblem): void {
  if (spec.kind === "command" && spec.env !== undefined)
    report(["secondReviewer", "env"], "is for rulings on blockers, which are the reviewer's alone", "leave it out");
  const routes = resolveRoutes(file.complexity);
  const isByClass = routes !== undefined && COMPLEXITIES.some((one) => routes[one].reviewers === 2);
  const lines = [file.finish ?? [], ...file.tickets.map(({ finish = [] }) => finish)];
  if (isByClass || lines.flat().some((step) => step.step === "review" && step.by === "second")) return;
  const hint =
    'give a class of "complexity" "reviewers": 2, or a finish line {"step": "review", "name": "second-review", "by": "second"}';
  report(["secondReviewer"], "is never asked: no class has two reviewers, and no step names it", hint);
}

function checkAskedReviewers(file: BatchFile, report: NoteProblem): void {
  checkReviewSteps(file.finish ?? [], ["finish"], { batch: file, report });
  file.tickets.forEach((ticket, i) => {
    checkReviewSteps(ticket.finish ?? [], ["tickets", i, "finish"], { batch: file, report });
  });
}

/** Reports the steps of a finish line that ask a reviewer whom the batch does not name. */
export function checkReviewSteps(
  steps: readonly StepSpec[],
  path: Path,
  { batch, report }: { readonly batch: Readonly<Partial<Record<ReviewerParty, unknown>>>; readonly report: NoteProblem },
): void {
  steps.forEach((step, i) => {
    if (step.step !== "review" && step.step !== "adversary") return;
    const party = step.step === "review" ? reviewerParty(step) : "reviewer";
    if (batch[party] !== undefined) return;
    const who = party === "reviewer" ? "a reviewer" : "a second reviewer";
    report([...path, i], `${step.step} asks ${who}, and the batch names none`, `name one under "${party}"`);
  });
}

/** These programs may do anything inside a sandbox, so they never run outside one. */
function checkVendor(
  file: BatchFile,
  { who, spec }: { readonly who: ReviewerParty; readonly spec: Vendor<ReviewerSpec> },
  report: NoteProblem,
): void {
  const { sandbox } = file;
  const { kind, program } = spec;
  if (sandbox === "off") report(["sandbox"], `${kind} never reviews without a sandbox`, 'use "required"');
  checkAccounts({ ...file, who }, spec, report);
  const unfit = program === undefined ? undefined : unfitForPath(program);
  if (unfit !== undefined) report([who, "program"], unfit);
}

/** The party that a reviewer is compared with, for people, and what the reviewer would do if it were that. */
const OTHERS = {
  agent: { name: "agent", would: "review itself" },
  reviewer: { name: "first reviewer", would: "read the same change twice" },
} as const;

/** Reports a reviewer that is no other than the party before it. True if there is nothing to report. */
function checkOther(
  other: Named<keyof typeof OTHERS>,
  { who, spec }: { readonly who: ReviewerParty; readonly spec: ReviewerSpec },
  report: NoteProblem,
): boolean {
  const { name, would } = OTHERS[other.who];
  if (other.spec.kind === "command" || spec.kind === "command") {
    const isSame = other.spec.kind === "command" && spec.kind === "command" && sameWords(other.spec.command, spec.command);
    if (isSame) report([who, "command"], `is the ${name}'s own command: it would ${would}`, "name another program");
    return !isSame;
  }
  for (const [i, one] of allAccounts(spec).entries())
    for (const [j, account] of allAccounts<VendorSpec>(other.spec).entries()) {
      const at = i > 0 ? [who, "fallback", i - 1] : [other.who, "fallback", j - 1];
      let isFound = false;
      checkPair({ who: other.who, spec: account }, { who, spec: one }, (path, message, hint) => {
        isFound = true;
        report(i + j === 0 ? path : at, i + j === 0 ? message : `with it, the ${PARTY_NAMES[who]}'s model ${message}`, hint);
      });
      if (isFound) return false;
    }
  return true;
}

/** Reports a reviewer's account that is no different model from an account of the other party. */
function checkPair(
  other: { readonly who: keyof typeof OTHERS; readonly spec: VendorSpec },
  { who, spec }: { readonly who: ReviewerParty; readonly spec: Vendor<ReviewerSpec> },
  report: NoteProblem,
): void {
  const { name, would } = OTHERS[other.who];
  const vendor = modelMaker(spec);
  const [model, otherModel] = [normalizeModelName(spec), normalizeModelName(other.spec)];
  if (model !== undefined && model === otherModel) {
    report([who, "model"], `is the ${name}'s own model: it would ${would}`, "name another model");
  } else if (vendor !== modelMaker(other.spec)) {
    return;
  } else if (!spec.allowSameVendor) {
    const hint = `choose another kind, or set ${who}.allowSameVendor and name two models`;
    report([who, "kind"], `the ${name}'s model is of the same vendor (${vendor})`, hint);
  } else if (model === undefined || otherModel === undefined) {
    const whose = `the ${model === undefined ? PARTY_NAMES[who] : name}`;
    report([who], `nobody can tell that it is another model than the ${name}'s: ${whose} names none`, "name both models");
  } else if (mayMean(model, otherModel) || mayMean(otherModel, model)) {
    report([who, "model"], `may be the ${name}'s own model by another name`, "name both models in full");
  }
}

const ALIASES = Object.values(VENDORS).flatMap(({ aliases }) => aliases ?? []);
const LINES: ReadonlySet<string> = new Set(ALIASES.flatMap(({ lines }) => lines));
const ANY: ReadonlySet<string> = new Set(ALIASES.flatMap(({ any }) => any));

function mayMean(alias: string | undefined, model: string | undefined): boolean {
  if (alias === undefined || model === undefined) return false;
  return ANY.has(alias) || (LINES.has(alias) && model.includes(alias));
}

/** True for the same words, however they name a file of the batch's folder: `./x` and `{batch}/x` are `x` there. */
function sameWords(a: readonly string[], b: readonly string[]): boolean {
  const plain = (word: string | undefined) => word?.replace(/^(?:\{batch\}\/|\.\/)+/, "");
  return a.length === b.length && a.every((word, i) => plain(word) === plain(b[i]));
}

/** Whose model it is: one program may run the models of many. */
function modelMaker(spec: Pick<Vendor<AgentSpec>, "kind" | "model">): string {
  const model = normalizeModelName(spec) ?? "";
  return Object.values(VENDORS).find(({ models }) => models?.test(model))?.maker ?? VENDORS[spec.kind].maker;
}

/**
 * The model's name without its provider, its variant and its date ("anthropic/claude-sonnet-4-5-20250929"). Others write it their
 * own way: "claude-sonnet-4.5:thinking" (OpenRouter), "us.anthropic.claude-sonnet-4-5-20250929-v1:0" (Bedrock), "…[1m]" (Claude
 * Code). A tag with a size in it ("llama3:8b", Ollama) names another model.
 */
function normalizeModelName({ model }: Pick<Vendor<AgentSpec>, "model">): string | undefined {
  return model
    ?.toLowerCase()
    .split("/")
    .findLast((part) => part !== "")
    ?.replace(/\[\w+\]$/, "")
    .replace(/:(?:[a-z]+|\d+)$/, "")
    .replace(/^(?:[a-z]+\.)*anthropic\.(.*?)(?:-v\d+)?$/, "$1")
    .replace(/[-@](?:\d{8}|\d{4}-\d\d-\d\d|latest)$/, "")
    .replaceAll(".", "-");
}

function checkCost(
  { limits }: BatchFile,
  { who, spec }: { readonly who: ReviewerParty; readonly spec: ReviewerSpec },
  report: NoteProblem,
): void {
  const usd = reviewUsd(spec, limits);
  const path = spec.usdPerReview === undefined ? ["limits", "usdPerAttempt"] : [who, "usdPerReview"];
  if (usd === 0 && spec.kind !== "command") report(path, `${spec.kind} cannot review for nothing`, "set it above 0");
  const caps = (["usdPerTicket", "usdPerRun", "usdPerDay"] as const).filter((cap) => limits[cap] < usd);
  if (caps.length === 0) return;
  const allowed = caps.map((cap) => `limits.${cap} of ${limits[cap]}`).join(", ");
  report(path, `one review costs ${usd} dollars, more than ${allowed}: none could ever start`, "lower it, or raise the limit");
}
