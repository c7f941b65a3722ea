import { displayValue, hintFor, listed } from "@loopdash/values";
import { unfitForTransient } from "../schedule/transient.ts";
import { checkAgent } from "./check-agent.ts";
import { checkComplexity } from "./check-complexity.ts";
import { checkNotify } from "./check-notify.ts";
import { checkReviewer } from "./check-reviewer.ts";
import {
  checkCommand,
  checkReferences,
  checkSecrets,
  checkSecretUses,
  checkVariables,
  type SecretRules,
} from "./check-secrets.ts";
import { checkTracker } from "./check-tracker.ts";
import { checkFinishLine, checkFixes } from "./finish-line.ts";
import type { ForgeSpec } from "./forge-spec.ts";
import { checkHosts } from "./hosts.ts";
import { listPrograms } from "./party.ts";
import { isReserved, unfitForBase, unfitForGlob, unfitForLine, unfitForPath } from "./plain-words.ts";
import { prepareCommand, prepareCommandPath } from "./prepare-command.ts";
import { type BatchProblem, type Locate, type NoteProblem, type Path, problemAt, sortProblems } from "./problem.ts";
import { unfitForReport } from "./report-location.ts";
import type { Batch, BatchFile, TicketSpec } from "./schema.ts";
import { isKeptOutside } from "./tracker-spec.ts";
import { vendorsWith } from "./vendors.ts";

/** Programs whose sessions can be counted. */
const COUNTED: readonly string[] = vendorsWith(({ logsSessions }) => logsSessions === true);

/** Finding the nearest of 10,000 ids takes a millisecond, and nobody reads the hint of the 21st problem. */
const MAX_HINTS = 40;
const BEGIN_WITH_GATES = 'begin each "finish" with {"step": "gates"}';
const MAX_CYCLE_SHOWN = 8;

/**
 * Finds the problems of a batch whose values all have the right shape: names that clash or are unknown, cycles, finish lines that
 * cannot end, unusable paths and patterns, an agent dearer than its limits. `elsewhere` holds ids of the ticket folder that the
 * batch does not take. Sorted by place.
 */
export function checkBatch(file: BatchFile, locate: Locate, elsewhere: ReadonlySet<string> = new Set()): readonly BatchProblem[] {
  const problems: BatchProblem[] = [];
  const report: NoteProblem = (path, message, hint) => problems.push(problemAt(locate, path, message, hint));
  checkRepos(file, report);
  if (file.agent.kind === "command") checkCommand(file.agent.command, ["agent", "command"], report);
  checkAgent(file, report);
  checkReviewer(file, report);
  if (file.reviewer?.kind === "command") checkVariables(file.reviewer, ["reviewer"], file, report);
  checkLimits(file, report);
  checkComplexity(file, report);
  if (file.oracle !== undefined) checkCommand(file.oracle.command, ["oracle", "command"], report);
  checkTracker(file, report);
  checkHosts(file, report);
  checkSecrets(file, report);
  checkNotify(file, report);
  file.transients.forEach(({ pattern }, i) => {
    reportUnfit(unfitForTransient(pattern), ["transients", i, "pattern"], report);
  });
  file.protect.forEach((glob, i) => {
    reportUnfit(unfitForGlob(glob), ["protect", i], report);
  });
  if (file.finish !== undefined) {
    checkFinishLine(file.finish, ["finish"], report);
    checkStepCommands(file.finish, ["finish"], report);
    checkSecretUses(file.finish, ["finish"], file, report);
  }
  const repos = new Set(Object.keys(file.repos));
  file.tickets.forEach((ticket, i) => {
    checkTicket(file, ticket, i, report);
    checkRepo(ticket, i, repos, report, file.tracker.kind);
  });
  checkBranchRepos(file, report);
  checkGraph(file.tickets, elsewhere, report);
  return sortProblems(problems);
}

function reportUnfit(reason: string | undefined, path: Path, report: NoteProblem): void {
  if (reason !== undefined) report(path, reason);
}

function reportReserved(name: string, path: Path, report: NoteProblem): void {
  if (isReserved(name)) report(path, `${displayValue(name)} is a reserved word`, "choose another name");
}

function checkStepCommands(steps: NonNullable<BatchFile["finish"]>, path: Path, report: NoteProblem): void {
  steps.forEach((step, i) => {
    if ("command" in step) checkCommand(step.command, [...path, i, "command"], report);
    if (step.step === "check" && step.report !== undefined)
      reportUnfit(unfitForReport(step.report), [...path, i, "report", "path"], report);
  });
}

function checkRepos(file: BatchFile, report: NoteProblem): void {
  for (const [id, repo] of Object.entries(file.repos)) {
    reportReserved(id, ["repos", id], report);
    reportUnfit(unfitForPath(repo.path), ["repos", id, "path"], report);
    reportUnfit(unfitForBase(repo.base), ["repos", id, "base"], report);
    checkForge(file, ["repos", id, "forge"], repo.forge, report);
    (repo.copy ?? []).forEach(({ from }, i) => {
      reportUnfit(unfitForPath(from), ["repos", id, "copy", i, "from"], report);
    });
    const lines = [file.finish, ...file.tickets.map(({ finish }) => finish)];
    if (repo.copy !== undefined && lines.some((line) => line?.every(({ step }) => step !== "gates")))
      report(["repos", id, "copy"], 'needs the step "gates", which refuses a change with a copied file', BEGIN_WITH_GATES);
    repo.prepare.forEach((entry, i) => {
      const path = ["repos", id, "prepare", i];
      checkCommand(prepareCommand(entry).command, prepareCommandPath(entry, path), report);
      checkVariables(prepareCommand(entry), path, file, report);
    });
  }
}

/** Reports a token that the batch does not have, or that agents could read. */
function checkForge(file: BatchFile, path: Path, forge: ForgeSpec | undefined, report: NoteProblem): void {
  if (forge === undefined || forge.kind === "local") return;
  if (forge.kind !== "push" && file.sandbox !== "required")
    report([...path, "kind"], "needs a token, and without a sandbox agents could read it", 'set "sandbox": "required"');
  if (forge.token !== undefined) checkReferences(`{secret:${forge.token}}`, [...path, "token"], file, report);
  else if (forge.user !== undefined && forge.kind === "push")
    report([...path, "user"], "goes with a token, and there is none", 'name one in "token"');
}

/** Reports the problems of one ticket by itself, for a batch with these repositories, tracker and finish line. */
export function checkTicketSpec(
  batch: Pick<BatchFile, "tracker" | "finish"> & SecretRules & { readonly repos: Readonly<Record<string, unknown>> },
  ticket: TicketSpec,
  report: NoteProblem,
): void {
  const relative: NoteProblem = (path, message, hint) => report(path.slice(2), message, hint);
  checkTicket(batch, ticket, 0, relative);
  checkRepo(ticket, 0, new Set(Object.keys(batch.repos)), relative);
}

function checkTicket(
  file: Pick<BatchFile, "tracker" | "finish"> & SecretRules,
  ticket: TicketSpec,
  i: number,
  report: NoteProblem,
): void {
  const at = (...rest: Path) => ["tickets", i, ...rest];
  reportReserved(ticket.id, at("id"), report);
  if (ticket.title !== undefined) reportUnfit(unfitForLine(ticket.title), at("title"), report);
  else if (!isKeptOutside(file.tracker)) report(at("title"), "is missing (the task, in one line)");
  ticket.exclusive.forEach((name, j) => {
    reportReserved(name, at("exclusive", j), report);
  });
  checkFixes(ticket, ticket.finish ?? file.finish, at("fixes"), report);
  if (ticket.finish === undefined) return;
  checkFinishLine(ticket.finish, at("finish"), report);
  checkStepCommands(ticket.finish, at("finish"), report);
  checkSecretUses(ticket.finish, at("finish"), file, report);
}

function checkRepo({ repo }: TicketSpec, i: number, repos: ReadonlySet<string>, report: NoteProblem, tracker?: string): void {
  const path = ["tickets", i, "repo"];
  if (repo === undefined) {
    const label = tracker === "linear" || tracker === "github" ? 'give the issue the label "repo:NAME"; ' : "";
    if (repos.size > 1)
      report(path, "is missing: there is more than one repository", `${label}known here: ${listed([...repos])}`);
  } else if (!repos.has(repo)) {
    report(path, `unknown repository ${displayValue(repo)}`, hintFor(repo, [...repos], "known here"));
  }
}

/** The checks of a branch tell of one commit alone: what a second ticket pushed there would be the first one's failure. */
export const ONE_ON_A_BRANCH = 'its repository lands on a branch whose checks decide ("github-branch"), which takes one ticket';

/** Reports the second ticket of a repository that takes one. */
function checkBranchRepos({ repos, tickets }: BatchFile, report: NoteProblem): void {
  const [only, another] = Object.keys(repos);
  const taken = new Set<string>();
  tickets.forEach(({ repo = another === undefined ? only : undefined }, i) => {
    if (repo === undefined || !takesOneTicket({ repos }, repo)) return;
    if (taken.has(repo))
      report(["tickets", i], ONE_ON_A_BRANCH, "give it a batch of its own, which starts when this one is done");
    taken.add(repo);
  });
}

/** True for a repository whose checks at the forge are about one ticket. */
export function takesOneTicket({ repos }: Pick<Batch, "repos">, repo: string): boolean {
  return Object.hasOwn(repos, repo) && repos[repo]?.forge?.kind === "github-branch";
}

/** Checks ids, dependencies and cycles. Linear in tickets and dependencies. */
function checkGraph(tickets: readonly TicketSpec[], elsewhere: ReadonlySet<string>, report: NoteProblem): void {
  const index = checkIds(tickets, report);
  const ids = [...index.keys()];
  let hints = 0;
  const edges = tickets.map((ticket, i) => {
    const targets: number[] = [];
    ticket.dependsOn.forEach((dep, j) => {
      const to = index.get(dep);
      if (to !== undefined && dep !== ticket.id) {
        targets.push(to);
        return;
      }
      const path = ["tickets", i, "dependsOn", j];
      if (dep === ticket.id) report(path, `${displayValue(dep)} cannot depend on itself`);
      else if (elsewhere.has(dep))
        report(path, `${displayValue(dep)} is in the ticket folder but not in this batch`, 'add it to "tickets"');
      else report(path, `unknown ticket ${displayValue(dep)}`, hints++ < MAX_HINTS ? hintFor(dep, ids, "known here") : undefined);
    });
    return targets;
  });
  for (const cycle of findCycles(edges)) {
    const [first = 0, second = 0] = cycle;
    const names: readonly (string | undefined)[] = tickets[first]?.dependsOn ?? [];
    const dep = names.indexOf(tickets[second]?.id);
    report(["tickets", first, "dependsOn", dep], `these tickets wait for each other: ${cycleText(cycle, tickets)}`);
  }
}

/** The first ticket of each id. Ids that differ only in case clash too, because they name folders and branches. */
function checkIds(tickets: readonly TicketSpec[], report: NoteProblem): ReadonlyMap<string, number> {
  const index = new Map<string, number>();
  const folded = new Map<string, number>();
  tickets.forEach(({ id }, i) => {
    const before = folded.get(id.toLowerCase());
    if (before === undefined) {
      folded.set(id.toLowerCase(), i);
      index.set(id, i);
      return;
    }
    const other = tickets[before]?.id ?? id;
    const same =
      other === id
        ? `there is a ticket ${displayValue(id)} already`
        : `${displayValue(id)} and ${displayValue(other)} differ only in case`;
    report(["tickets", i, "id"], same, other === id ? undefined : "they would share a folder and a branch: rename one");
    if (!index.has(id)) index.set(id, i);
  });
  return index;
}

function cycleText(cycle: readonly number[], tickets: readonly TicketSpec[]): string {
  const names = cycle.map((i) => tickets[i]?.id ?? "");
  const over = names.length - MAX_CYCLE_SHOWN;
  const shownNames = over > 1 ? [...names.slice(0, MAX_CYCLE_SHOWN - 1), `(${over + 1} more)`] : names;
  return [...shownNames, names[0] ?? ""].join(" → ");
}

/** Reports a limit on a number that nobody can count. */
function checkLimits(file: BatchFile, report: NoteProblem): void {
  const { limits } = file;
  if (!limits.countOtherSessions) return;
  const other = listPrograms(file).find(({ spec }) => !COUNTED.includes(spec.kind))?.spec;
  if (other === undefined) return;
  const message = `only for ${COUNTED.join(" and ")}: nobody can tell what other sessions of the kind "${other.kind}" have cost`;
  report(["limits", "countOtherSessions"], message, "leave it out");
}

/**
 * Cycles in a graph in which `edges[i]` are the indices that i depends on: each as its members in order, starting with the
 * smallest. None for a graph without cycles; at least one of cycles that share members. Linear time, no recursion.
 */
export function findCycles(edges: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const stuck = unorderable(edges);
  const seenIn = new Int32Array(edges.length);
  const cycles: number[][] = [];
  for (let start = 0; start < edges.length; start++) {
    const trail: number[] = [];
    let at: number | undefined = start;
    while (at !== undefined && stuck[at] && seenIn[at] === 0) {
      seenIn[at] = start + 1;
      trail.push(at);
      at = edges[at]?.find((to) => stuck[to]);
    }
    if (at !== undefined && stuck[at] && seenIn[at] === start + 1) cycles.push(fromSmallest(trail.slice(trail.indexOf(at))));
  }
  return cycles;
}

/** Nodes that can never come after all their dependencies: those in a cycle, or behind one (Kahn's order). */
function unorderable(edges: readonly (readonly number[])[]): readonly boolean[] {
  const dependents: number[][] = edges.map(() => []);
  const missing = edges.map((targets) => targets.length);
  edges.forEach((targets, i) => {
    for (const to of targets) dependents[to]?.push(i);
  });
  const order = missing.flatMap((count, i) => (count === 0 ? [i] : []));
  for (let at = 0; at < order.length; at++) {
    for (const i of dependents[order[at] ?? 0] ?? []) {
      missing[i] = (missing[i] ?? 0) - 1;
      if (missing[i] === 0) order.push(i);
    }
  }
  return missing.map((count) => count > 0);
}

function fromSmallest(cycle: readonly number[]): number[] {
  let smallest = 0;
  cycle.forEach((node, i) => {
    if (node < (cycle[smallest] ?? 0)) smallest = i;
  });
  return [...cycle.slice(smallest), ...cycle.slice(0, smallest)];
}
