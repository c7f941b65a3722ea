import { resolve } from "node:path";
import { commitNamed } from "../../adapters/vcs/bound/changes.ts";
import { type GitPlace, type RulesAt, rulesAt } from "../../adapters/vcs/bound/rules-at.ts";
import { gitDirOf } from "../../adapters/vcs/repository/locate.ts";
import { BOUND_FILE, type Bound, NO_RULES } from "../../domain/bound/bound.ts";
import { type BoundProblem, formatBoundProblems } from "../../domain/bound/parse-bound.ts";
import { plainText } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { findRepository, topOf } from "../init/repository.ts";
import { usageError } from "../usage-error.ts";

/** A repository and its base, whose rules count. */
export interface BoundPlace extends GitPlace {
  /** The base as a person named it, or its branch. */
  readonly base: string;
  readonly baseSha: string;
}

/** The places in which a base without a local branch is looked for: in a clone of a CI, say. */
const REMOTE_BASES = ["origin/HEAD", "origin/main", "origin/master"];

/** Finds the repository and its base. Throws a UserError (exit 2) if there is none. */
export async function findBoundPlace({
  repo,
  base,
}: {
  readonly repo: string;
  readonly base?: string | undefined;
}): Promise<BoundPlace> {
  const folder = resolve(process.cwd(), repo);
  const top = await topOf(folder);
  if (top === undefined)
    throw usageError(
      `${plainText(repo, 200)} is in no git repository`,
      "the rules are read from a commit",
      "Name one with --repo.",
    );
  const place: GitPlace = { top, gitDir: await gitDirOf(top) };
  const names = base === undefined ? await likelyBases(top) : [base];
  for (const name of names) {
    const baseSha = await commitNamed(place, name);
    if (baseSha !== undefined) return { ...place, base: name, baseSha };
  }
  const named = base === undefined ? "it has no branch main, and no origin/main" : `${plainText(base, 100)} is no commit there`;
  throw usageError("the base is not found", named, "Name a branch or commit: --base main");
}

async function likelyBases(top: string): Promise<readonly string[]> {
  const found = await findRepository({ name: undefined, path: top, base: undefined }, { cwd: top, env: process.env });
  return [...("value" in found ? [`refs/heads/${found.value.base}`] : []), ...REMOTE_BASES];
}

/** The rules at the base, and whether there is a file. Throws a UserError (exit 2) with every problem if it cannot be read. */
export async function rulesOf(place: BoundPlace): Promise<{ readonly bound: Bound; readonly hasFile: boolean }> {
  const rules: RulesAt = await rulesAt(place, place.baseSha);
  if (rules.as === "unreadable") throw unreadableRules(rules.problems, shownBase(place));
  return rules.as === "absent" ? { bound: NO_RULES, hasFile: false } : { bound: rules.bound, hasFile: true };
}

/** The base for people. */
export function shownBase({ base }: Pick<BoundPlace, "base">): string {
  return plainText(base.replace(/^refs\/heads\//, ""), 100);
}

/** The error of rules that nobody can read. They count as no permission: nothing is checked by half of them. */
export function unreadableRules(problems: readonly BoundProblem[], base: string, where = ""): UserError {
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  return new UserError({
    what: `${BOUND_FILE}${where} on ${base} is not valid (${count})`,
    why: formatBoundProblems(problems),
    todo: `Correct ${BOUND_FILE} on ${base}: it is read from there, and not from your checkout.`,
    exitCode: EXIT.usage,
  });
}
