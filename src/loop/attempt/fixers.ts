import { haveFixedInVain, lastCiFailure } from "../../domain/ci/ci-fact.ts";
import { FIXER_FILES, type Fixer, findFixers } from "../../domain/ci/fixers.ts";
import type { LayoutRepair } from "../../domain/run/attempt-fact.ts";
import { ticketById } from "../../domain/run/state.ts";
import { plainText } from "../../domain/values/text.ts";
import type { Confinement } from "../../ports/executor.ts";
import type { Change, Repo } from "../../ports/vcs.ts";
import { opened } from "../programs/confine.ts";
import { runIn, thinActivity } from "../programs/run-in.ts";
import { captureWork } from "./capture.ts";
import type { LoopContext, OpenAttempt } from "./context.ts";

/** Time for one fixer. Minutes. */
const MINUTES = 5;

/** Exit codes of a shell whose command is not there or cannot be executed (POSIX, 2.8.2 Exit Status for Commands). */
const NOT_STARTED: ReadonlySet<number> = new Set([126, 127]);

/** The worktree of an attempt, in which fixers run before an agent would. */
interface FixerWorktree {
  readonly path: string;
  readonly branch: string;
  readonly baseSha: string;
  /** The start of the work, in milliseconds since the epoch. */
  readonly begun: number;
  readonly confinement: Confinement | undefined;
}

/**
 * Runs the repository's own formatters and linters in the worktree, in the sandbox and without any host, if the failed checks of its branch
 * are of the kind that those repair. Gives their change, which needs no agent; undefined if there is none. A change of theirs that could
 * not be pushed is not made again: then it is an agent's turn.
 */
export async function runFixers(
  ctx: LoopContext,
  scope: OpenAttempt,
  repo: Repo,
  worktree: FixerWorktree,
): Promise<Change | undefined> {
  const { ticket } = scope;
  if (ctx.branchChecks.get(repo.id)?.canChange !== true) return undefined;
  const { ci } = ticketById(ctx.state(), ticket.id);
  const fixable = lastCiFailure(ci)?.fixable ?? [];
  if (fixable.length === 0 || haveFixedInVain(ci)) return undefined;
  const { path, branch, baseSha: from, begun } = worktree;
  const fixers = findFixers(await repo.readFiles({ commit: from, paths: FIXER_FILES }), fixable);
  const names: string[] = [];
  for (const fixer of fixers) if (await runFixer(ctx, scope, worktree, fixer)) names.push(plainText(fixer.name, 60));
  if (names.length === 0) return undefined;
  const change = await captureWork(ctx, scope, repo, { path, branch, from, begun });
  if (change.paths.length === 0) return undefined;
  scope.announce({ type: "ci-fixed", fixers: names });
  return change;
}

/**
 * Runs the batch's own fixers on the work of an agent that has stopped, in the sandbox and without any host. The first that cannot start,
 * or changes a file that the agent did not touch, ends them: the change is as it was before.
 */
export async function repairLayout(
  ctx: LoopContext,
  scope: OpenAttempt,
  repo: Repo,
  worktree: FixerWorktree,
  change: Change,
): Promise<{ readonly change: Change; readonly layout?: LayoutRepair }> {
  const commands = ctx.batch.repos[scope.ticket.repo]?.fixers ?? [];
  if (commands.length === 0 || change.paths.length === 0) return { change };
  const { path, branch, baseSha: from, begun } = worktree;
  const touched = new Set(change.paths.map((each) => each.path));
  const fixers: string[] = [];
  let repaired = change;
  for (const command of commands) {
    const name = plainText(command.join(" "), 60);
    if (!(await runFixer(ctx, scope, worktree, { command })))
      return { change: repaired, layout: { fixers, ignored: `${name} could not start` } };
    const after = await captureWork(ctx, scope, repo, { path, branch, from, begun, before: repaired.tip });
    const { paths } = await repo.change({ from: repaired.tip, tip: after.tip });
    const outside = paths.find((each) => !touched.has(each.path));
    if (outside !== undefined) {
      await repo.keepBranch({ branch, tip: repaired.tip });
      const ignored = `${name} changed ${plainText(outside.path, 200)}, which the agent did not touch`;
      return { change: repaired, layout: { fixers, ignored } };
    }
    if (paths.length > 0) fixers.push(name);
    repaired = { ...after, ...(change.elsewhere && { elsewhere: change.elsewhere }) };
  }
  return { change: repaired, layout: fixers.length > 0 ? { fixers } : undefined };
}

/** The worktree and what prepares it, without the files by which an agent speaks to the engine. */
function withoutAgentFiles(confinement: Confinement, { files }: OpenAttempt): Confinement {
  const own = new Set([files.outbox, files.session, files.prompt]);
  const others = (paths: readonly string[]) => paths.filter((path) => !own.has(path));
  return { ...confinement, read: others(confinement.read), write: others(confinement.write) };
}

/** Runs a fixer. Its exit code says nothing: linters fail for what they cannot repair. False if it, or what its script calls, could not start. */
async function runFixer(
  ctx: LoopContext,
  scope: OpenAttempt,
  { path: cwd, confinement }: FixerWorktree,
  { command: argv }: Pick<Fixer, "command">,
): Promise<boolean> {
  const activity = thinActivity(ctx.clock, (text, lines) => scope.announce({ type: "activity", text, lines }));
  const result = await runIn(ctx, scope, {
    ...{ argv, cwd, log: "fixers", minutes: MINUTES, onLine: activity.line },
    confinement: confinement && opened(ctx, { ...withoutAgentFiles(confinement, scope), hosts: [] }, "fixers"),
  }).finally(activity.end);
  return result.ending === "exited" && !NOT_STARTED.has(result.exitCode ?? 0);
}
