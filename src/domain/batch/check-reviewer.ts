import { accountsOf } from "./account.ts";
import type { AgentSpec } from "./agent-spec.ts";
import { checkAccounts } from "./check-agent.ts";
import { checkArgument } from "./check-secrets.ts";
import { unfitForLine, unfitForPath } from "./plain-words.ts";
import type { NoteProblem, Path } from "./problem.ts";
import { type ReviewerSpec, reviewUsd } from "./reviewer-spec.ts";
import type { BatchFile } from "./schema.ts";
import type { StepSpec } from "./step-spec.ts";
import { VENDORS } from "./vendors.ts";

type Vendor<T> = Exclude<T, { kind: "command" }>;

/**
 * Reports steps that ask a missing reviewer, and a reviewer that could never start, must not, or is no different model: the agent
 * itself under another key reviews nothing (adversary case B15).
 */
export function checkReviewer(file: BatchFile, report: NoteProblem): void {
  const { agent, reviewer } = file;
  if (reviewer === undefined) return checkNobodyIsAsked(file, report);
  if (reviewer.kind === "command")
    reviewer.command.forEach((word, i) => {
      const unfit = unfitForLine(word);
      if (unfit !== undefined) report(["reviewer", "command", i], unfit);
      checkArgument(word, ["reviewer", "command", i], report);
    });
  else checkVendor(file, reviewer, report);
  checkOther(agent, reviewer, report);
  checkCost(file, reviewer, report);
}

function checkNobodyIsAsked({ finish = [], tickets }: BatchFile, report: NoteProblem): void {
  checkAsksNobody(finish, ["finish"], report);
  tickets.forEach((ticket, i) => {
    checkAsksNobody(ticket.finish ?? [], ["tickets", i, "finish"], report);
  });
}

/** Reports the steps of a finish line that ask a reviewer. */
export function checkAsksNobody(steps: readonly StepSpec[], path: Path, report: NoteProblem): void {
  steps.forEach(({ step }, i) => {
    if (step !== "review" && step !== "adversary") return;
    report([...path, i], `${step} asks a reviewer, and the batch names none`, 'name one under "reviewer"');
  });
}

/** These programs may do anything inside a sandbox, so they never run outside one. */
function checkVendor(file: BatchFile, reviewer: Vendor<ReviewerSpec>, report: NoteProblem): void {
  const { sandbox } = file;
  const { kind, program } = reviewer;
  if (sandbox === "off") report(["sandbox"], `${kind} never reviews without a sandbox`, 'use "required"');
  checkAccounts({ ...file, who: "reviewer" }, reviewer, report);
  const unfit = program === undefined ? undefined : unfitForPath(program);
  if (unfit !== undefined) report(["reviewer", "program"], unfit);
}

function checkOther(agent: AgentSpec, reviewer: ReviewerSpec, report: NoteProblem): void {
  if (agent.kind === "command" || reviewer.kind === "command") {
    if (agent.kind === "command" && reviewer.kind === "command" && sameWords(agent.command, reviewer.command))
      report(["reviewer", "command"], "is the agent's own command: it would review itself", "name another program");
    return;
  }
  let isFound = false;
  for (const [i, one] of accountsOf(reviewer).entries())
    for (const [j, other] of accountsOf(agent).entries()) {
      const at = i > 0 ? ["reviewer", "fallback", i - 1] : ["agent", "fallback", j - 1];
      if (isFound) return;
      checkPair(other, one, (path, message, hint) => {
        isFound = true;
        report(i + j === 0 ? path : at, i + j === 0 ? message : `with it, the reviewer's model ${message}`, hint);
      });
    }
}

/** Reports a reviewer's account that is no different model from an account of the agent. */
function checkPair(agent: Vendor<AgentSpec>, reviewer: Vendor<ReviewerSpec>, report: NoteProblem): void {
  const vendor = vendorOf(reviewer);
  const model = modelOf(reviewer);
  if (model !== undefined && model === modelOf(agent)) {
    report(["reviewer", "model"], "is the agent's own model: it would review itself", "name another model");
  } else if (vendor !== vendorOf(agent)) {
    return;
  } else if (!reviewer.allowSameVendor) {
    const hint = "choose another kind, or set reviewer.allowSameVendor and name two models";
    report(["reviewer", "kind"], `the agent's model is of the same vendor (${vendor})`, hint);
  } else if (model === undefined || modelOf(agent) === undefined) {
    const whose = model === undefined ? "the reviewer" : "the agent";
    report(["reviewer"], `nobody can tell that it is another model than the agent's: ${whose} names none`, "name both models");
  } else if (mayMean(model, modelOf(agent)) || mayMean(modelOf(agent), model)) {
    report(["reviewer", "model"], "may be the agent's own model by another name", "name both models in full");
  }
}

const ALIASES = Object.values(VENDORS).flatMap(({ aliases }) => aliases ?? []);
const LINES: ReadonlySet<string> = new Set(ALIASES.flatMap(({ lines }) => lines));
const ANY: ReadonlySet<string> = new Set(ALIASES.flatMap(({ any }) => any));

function mayMean(alias: string | undefined, model: string | undefined): boolean {
  if (alias === undefined || model === undefined) return false;
  return ANY.has(alias) || (LINES.has(alias) && model.includes(alias));
}

function sameWords(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((word, i) => word === b[i]);
}

/** Whose model it is: one program may run the models of many. */
function vendorOf(spec: Pick<Vendor<AgentSpec>, "kind" | "model">): string {
  const model = modelOf(spec) ?? "";
  return Object.values(VENDORS).find(({ models }) => models?.test(model))?.maker ?? VENDORS[spec.kind].maker;
}

/**
 * The model's name without its provider, its variant and its date ("anthropic/claude-sonnet-4-5-20250929"). Others write it their
 * own way: "claude-sonnet-4.5:thinking" (OpenRouter), "us.anthropic.claude-sonnet-4-5-20250929-v1:0" (Bedrock), "…[1m]" (Claude
 * Code). A tag with a size in it ("llama3:8b", Ollama) names another model.
 */
function modelOf({ model }: Pick<Vendor<AgentSpec>, "model">): string | undefined {
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

function checkCost({ limits }: BatchFile, reviewer: ReviewerSpec, report: NoteProblem): void {
  const usd = reviewUsd(reviewer, limits);
  const path = reviewer.usdPerReview === undefined ? ["limits", "usdPerAttempt"] : ["reviewer", "usdPerReview"];
  if (usd === 0 && reviewer.kind !== "command") report(path, `${reviewer.kind} cannot review for nothing`, "set it above 0");
  const caps = (["usdPerTicket", "usdPerRun", "usdPerDay"] as const).filter((cap) => limits[cap] < usd);
  if (caps.length === 0) return;
  const allowed = caps.map((cap) => `limits.${cap} of ${limits[cap]}`).join(", ");
  report(path, `one review costs ${usd} dollars, more than ${allowed}: none could ever start`, "lower it, or raise the limit");
}
