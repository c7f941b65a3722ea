import { shellWord } from "@loopdash/values";
import type { LandedCommit } from "../../domain/run/landings.ts";
import { type RunState, ticketById } from "../../domain/run/state.ts";
import type { TicketState } from "../../domain/run/ticket-state.ts";
import { describeUnproven } from "../../domain/schedule/proofs.ts";
import type { RepoId } from "../../domain/values/ids.ts";
import { plainText } from "../../domain/values/text.ts";

/** The size of what a ticket landed: `+12 −3 · tests +2 −0`, or `tests not compared`; empty if nobody counted. */
export function landedSizeText({ landedWith, mergedSha }: TicketState): string {
  if (landedWith === undefined || mergedSha === undefined) return "";
  const { additions, deletions, notCompared, tests } = landedWith;
  const lines = additions === undefined ? [] : [`+${additions} −${deletions ?? 0}`];
  const compared = tests === undefined ? [] : [`tests +${tests.added} −${tests.removed}`];
  return [...lines, ...compared, ...(notCompared ? ["tests not compared"] : [])].join(" · ");
}

/**
 * The commands that show what a run has landed in each repository, and those that take all of it back; loopdash runs none of them. What no
 * proof covers is told first.
 * They name the run's own commits alone, so commits of others do not matter. Safe for a terminal.
 */
export function landedCommands(state: RunState): readonly string[] {
  if (state.end === undefined) return [];
  const unproven = describeUnproven(state);
  const commands = Object.entries(state.landings).flatMap(([repo, { commits, initial, last }]) => {
    const { base, forge, path } = state.batch.repos[repo as RepoId] ?? {};
    if (path === undefined || base === undefined || commits.length === 0) return [];
    const git = `git -C ${shellWord(plainText(path))}`;
    const log = `landed:    ${git} log --oneline ${initial.slice(0, 12)}..${last.slice(0, 12)}`;
    const kept = withoutReverted(commits);
    if (kept.length === 0 || (forge !== undefined && forge.kind !== "local" && forge.kind !== "push")) return [log];
    const name = shellWord(plainText(base));
    const push = forge?.kind === "push" ? ` && ${git} push ${shellWord(plainText(forge.remote))} ${name}` : "";
    const shas = kept.map(({ sha }) => sha.slice(0, 12)).toReversed();
    const others = haveOthers(state, commits)
      ? ["  others committed in between: the log shows that too, and the revert leaves it"]
      : [];
    return [log, ...others, `take back: ${git} switch ${name} && ${git} revert --no-edit ${shas.join(" ")}${push}`];
  });
  return unproven === undefined ? commands : [`unproven:  ${plainText(unproven, 300)}`, ...commands];
}

/** The landed commits, oldest first, without those that a later one has taken back and without the latter. */
function withoutReverted(commits: readonly LandedCommit[]): readonly LandedCommit[] {
  const kept: LandedCommit[] = [];
  for (const commit of commits) {
    const at = commit.reverts ? kept.findLastIndex(({ ticket }) => ticket === commit.ticket) : -1;
    if (at !== -1) kept.splice(at, 1);
    else if (!commit.reverts) kept.push(commit);
  }
  return kept;
}

/** True if a ticket landed on another commit than the one that the run had landed before it. */
function haveOthers(state: RunState, commits: readonly LandedCommit[]): boolean {
  return commits.some(({ sha, ticket }, i) => {
    const { mergedFrom, mergedSha } = ticketById(state, ticket);
    return i > 0 && mergedSha === sha && mergedFrom !== undefined && mergedFrom !== commits[i - 1]?.sha;
  });
}

/** The reverted change of a ticket that has landed nothing since, and the live check without it. */
export function revertedLines({ reverted, mergedSha }: TicketState): readonly string[] {
  if (reverted === undefined || mergedSha !== undefined) return [];
  const { sha, by, after, failedCheck, byPerson } = reverted;
  if (byPerson) return [`landed as ${sha.slice(0, 7)}, reverted by ${by.slice(0, 7)} because a person asked; ${after.summary}`];
  const passes =
    failedCheck === undefined ? "the live check passes without it" : `the check ${failedCheck.name} passes without it`;
  const without = after.ok ? passes : `without it: ${after.summary}`;
  return [`landed as ${sha.slice(0, 7)}, reverted by ${by.slice(0, 7)}; ${without}`];
}
