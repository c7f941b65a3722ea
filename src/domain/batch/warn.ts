import { displayValue, listed } from "@loopdash/values";
import { RepoId } from "../values/ids.ts";
import { PROTECT_DEFAULTS } from "./default-protect.ts";
import type { TestCommands } from "./prepare-command.ts";
import { type BatchProblem, type Locate, type Path, problemAt, sortProblems } from "./problem.ts";
import type { BatchFile } from "./schema.ts";
import { isUnsandboxed, type StepSpec } from "./step-spec.ts";

/** Warnings about a batch that runs, but perhaps not as intended. It has passed `checkBatch`. Sorted by place. */
export function warnOfBatch(file: BatchFile, locate: Locate, testCommands: TestCommands = {}): readonly BatchProblem[] {
  const warnings: BatchProblem[] = [];
  const warn = (path: Path, message: string, hint?: string) => warnings.push(problemAt(locate, path, message, hint));
  if (file.sandbox === "off") warn(["sandbox"], "agents are not confined: they can read and change what you can");
  const unsandboxed = (steps: readonly StepSpec[], at: Path) =>
    steps.forEach((step, i) => {
      if (file.sandbox !== "off" && isUnsandboxed(step))
        warnings.push({ ...problemAt(locate, [...at, i, "sandbox"], OUTSIDE), atStart: true });
    });
  unsandboxed(file.finish ?? [], ["finish"]);
  if (file.oracle?.reads === "elsewhere") warn(["oracle", "reads"], "no canary can test an oracle that reads no tracker");
  const unchecked = uncheckedRepos(file, testCommands);
  // A batch with a list of its own means it to hold.
  const hasOwnList = file.protect.some((glob) => glob !== PROTECT_DEFAULTS);
  if (hasOwnList && file.finish !== undefined && !hasGates(file.finish)) warn(["finish"], NO_GATES, BEGIN_WITH_GATES);
  if (unchecked.length > 0) warn(["finish"], uncheckedIn(unchecked, Object.keys(file.repos).length), ADD_A_CHECK);
  file.tickets.forEach((ticket, i) => {
    unsandboxed(ticket.finish ?? [], ["tickets", i, "finish"]);
    if (hasOwnList && ticket.finish !== undefined && !hasGates(ticket.finish))
      warn(["tickets", i, "finish"], NO_GATES, BEGIN_WITH_GATES);
    if (ticket.finish !== undefined && !checks(ticket.finish)) warn(["tickets", i, "finish"], uncheckedIn([], 0), ADD_A_CHECK);
    for (const field of ["dependsOn", "exclusive"] as const) {
      const names: readonly string[] = ticket[field];
      const twice = firstRepeated(names);
      if (twice !== -1) warn(["tickets", i, field, twice], `${displayValue(names[twice])} is listed twice`);
    }
  });
  return sortProblems(warnings);
}

/** Repositories with a ticket that inherits a finish line without a check. The criteria of a contract are checks. */
function uncheckedRepos({ finish, repos, tickets, contracts }: BatchFile, testCommands: TestCommands): readonly string[] {
  const names = Object.keys(repos);
  const inheriting = new Set(
    tickets.flatMap(({ id, finish: own, contract = contracts?.[id], repo }) =>
      own === undefined && contract === undefined ? [repo ?? names[0]] : [],
    ),
  );
  return names.filter((name) => {
    if (hasForgeChecks(repos[RepoId.parse(name)]?.forge) || !inheriting.has(RepoId.parse(name))) return false;
    return finish === undefined ? !Object.hasOwn(testCommands, name) : !checks(finish);
  });
}

/** True if nothing lands before a check at the forge has passed. */
function hasForgeChecks(forge: BatchFile["repos"][RepoId]["forge"]): boolean {
  return forge?.kind === "github-branch" || (forge?.kind === "github" && forge.checks?.length !== 0);
}

const OUTSIDE = "what has landed runs here unsandboxed: it can read and change what you can";

const NO_GATES = "no gates run before merge, so nothing holds the batch's list of protected paths";

const BEGIN_WITH_GATES = 'begin with {"step": "gates"}';

const NO_CHECK = "no check runs before merge";

const ADD_A_CHECK = 'add {"step": "check", "name": "tests", "command": [...]} with the command that runs your tests before merge';

/** Names the repositories if it is not about all of them. */
function uncheckedIn(repos: readonly string[], all: number): string {
  const where = repos.length === all ? "" : ` in ${listed(repos)}`;
  return `${NO_CHECK}${where}: whatever the agent leaves will land`;
}

/** True for a warning that every start repeats, because it is shown nowhere else: above all that nothing checks a change. */
export function isToldAtStart({ message, atStart }: BatchProblem): boolean {
  return atStart === true || message.startsWith(NO_CHECK);
}

function firstRepeated(names: readonly string[]): number {
  const seen = new Set<string>();
  return names.findIndex((name) => seen.size === seen.add(name).size);
}

function checks(finish: readonly StepSpec[]): boolean {
  return finish.some((step) => step.step === "check");
}

function hasGates(finish: readonly StepSpec[]): boolean {
  return finish.some((step) => step.step === "gates");
}
