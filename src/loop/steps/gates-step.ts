import { movedSubmodules } from "../../domain/run/moved-submodule.ts";
import { ticketById } from "../../domain/run/state.ts";
import { boundedList, plainText, plural } from "../../domain/values/text.ts";
import { type Change, ENGINE_AUTHOR, type Repo } from "../../ports/vcs.ts";
import type { QuestionContext, QuestionScope } from "../questions/ask.ts";
import { gates, protectedFor } from "./gates.ts";
import type { StepResult } from "./step.ts";

/** Commits of an attempt that are looked at. */
const MOST_COMMITS = 10_000;

/** Runs the `gates` step on a change. */
export async function runGatesStep(
  ctx: Pick<QuestionContext, "batch" | "state">,
  { ticket }: Pick<QuestionScope, "ticket">,
  repo: Repo,
  change: Change,
): Promise<StepResult> {
  const found = gates(change, protectedFor(ctx.batch.protect, ticket), ticket.contract, await submodulesHere(repo, change));
  const from = ticketById(ctx.state(), ticket.id).attempt?.worktree?.baseSha;
  if (!found.ok || from === undefined || ticket.allow?.deletions === true) return found;
  return (await refuseDeletions(repo, { from, change })) ?? found;
}

/** The submodules of a change whose commits are here, nested ones too, if it moves any. */
async function submodulesHere(repo: Repo, { paths, tip }: Change): Promise<readonly string[]> {
  if (movedSubmodules(paths).length === 0) return [];
  const all = await repo.submodules(tip);
  const lacking = all.filter(({ isHere }) => !isHere).map(({ path }) => path);
  return all.flatMap(({ path }) => (lacking.some((each) => `${each}/`.startsWith(`${path}/`)) ? [] : [path]));
}

/**
 * Refuses a change that deletes more than half of the tracked files of its start (a file that is moved is not deleted), or files that the
 * agent's own commits keep: such deletions are rather what its git shows it than its work. Undefined if there is neither.
 */
export async function refuseDeletions(
  repo: Repo,
  { from, change }: { readonly from: string; readonly change: Change },
): Promise<StepResult | undefined> {
  const deleted = change.paths.flatMap(({ path, how }) => (how === "deleted" ? [path] : []));
  if (deleted.length === 0) return undefined;
  const { files } = await repo.tree(from);
  if (2 * deleted.length > files.length) {
    const added = new Set(change.paths.flatMap(({ path, how }) => (how === "added" ? [path] : [])));
    const ids = new Set((await repo.tree(change.tip)).files.flatMap(({ path, id }) => (added.has(path) ? [id] : [])));
    const isDeleted = new Set(deleted);
    const lost = files.filter(({ path, id }) => isDeleted.has(path) && !ids.has(id)).map(({ path }) => path);
    const all = plural(files.length, "tracked file");
    if (2 * lost.length > files.length)
      return refuse(`the change deletes ${lost.length} of the ${all} of its base`, lost, "Restore the files that are to stay");
  }
  const kept = await deletedAfterCommits(repo, { from, tip: change.tip, deleted });
  if (kept.length === 0) return undefined;
  const summary = `the worktree lacks ${plural(kept.length, "file")} that the agent's own commits keep`;
  return refuse(summary, kept, "Commit each deletion that the ticket asks for, and restore the other files");
}

/** The deleted files that a commit of the agent still has: only the engine's commit of its uncommitted files deletes them. */
async function deletedAfterCommits(
  repo: Repo,
  { from, tip, deleted }: { readonly from: string; readonly tip: string; readonly deleted: readonly string[] },
): Promise<readonly string[]> {
  const commits = (await repo.commitsSince({ from, to: tip, most: MOST_COMMITS })) ?? [];
  const agents = new Set(commits.flatMap(({ sha, author }) => (author === ENGINE_AUTHOR ? [] : [sha])));
  const found = new Set<string>();
  for (const { sha, author } of commits) {
    const parent = author === ENGINE_AUTHOR ? await repo.parent(sha) : undefined;
    if (parent === undefined || !agents.has(parent)) continue;
    for (const { path, how } of (await repo.change({ from: parent, tip: sha })).paths) if (how === "deleted") found.add(path);
  }
  return deleted.filter((path) => found.has(path));
}

function refuse(summary: string, paths: readonly string[], advice: string): StepResult {
  const list = boundedList(paths.map((path) => plainText(path, 200)));
  const detail = `${advice}; or a person allows it: "allow": {"deletions": true}.\n${list}`;
  return { ok: false, evidence: { step: "gates", name: "gates", summary, detail } };
}
