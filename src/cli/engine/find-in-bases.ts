import { findDefinition, type TrustedTree } from "@loopdash/test-evidence";
import { commitNamed } from "../../adapters/vcs/bound/changes.ts";
import { rulesAt } from "../../adapters/vcs/bound/rules-at.ts";
import { unfitBranchName } from "../../adapters/vcs/git/git-call.ts";
import { exists, findGitDir } from "../../adapters/vcs/repository/locate.ts";
import { type Argv, prepareCommands, type TestCommands } from "../../domain/batch/prepare-command.ts";
import { inEnvironment } from "../../domain/batch/prepare-makes.ts";
import type { Batch } from "../../domain/batch/schema.ts";
import { findTestCommand, TEST_COMMAND_FILES } from "../../domain/batch/test-command.ts";
import type { Bounds } from "../../domain/bound/bound.ts";
import { unreadableRules } from "../bound/check-bound.ts";
import { baseFileNames, readBaseFiles } from "./base-files.ts";

/** The commands by which repositories run their own tests, as the tips of their bases name them. */
export async function findTestCommands(repos: Batch["repos"]): Promise<TestCommands> {
  const found = Object.entries(repos).map(async ([id, repo]) => {
    const files = await readBaseFiles(repo, TEST_COMMAND_FILES);
    const texts = [...files].map(([name, content]) => [name, content === "too large" ? "" : content.text] as const);
    const command = findTestCommand(new Map(texts));
    return [id, command && inEnvironment(command, prepareCommands(repo.prepare))] as const;
  });
  const all = await Promise.all(found);
  return Object.fromEntries(all.flatMap(([id, command]) => (command === undefined ? [] : [[id, command]])));
}

/** Files that say which commands a command starts: manifests, Makefiles, scripts. */
const SAYS_COMMANDS = /(?:^|\/)(?:package\.json|(?:GNUm|[Mm])akefile|[^/]+\.(?:mk|sh|bash)|[^/.]+)$/;
/** Such files that are read of one base, at most. */
const MOST_SAYING = 500;

/** Knows which commands start a known test runner in one of the repositories, by the files of their bases. */
export async function findReports(repos: Batch["repos"], commands: readonly Argv[]): Promise<(command: Argv) => boolean> {
  const trees = Object.values(repos).map(async (repo): Promise<TrustedTree> => {
    const files = await baseFileNames(repo);
    const saying = files.filter((path) => SAYS_COMMANDS.test(path) && !path.includes("\n")).slice(0, MOST_SAYING);
    const texts = [...(await readBaseFiles(repo, saying))].flatMap(([name, content]) =>
      content === "too large" ? [] : [[name, content.text] as const],
    );
    return { files, texts: new Map(texts) };
  });
  const all = await Promise.all(trees);
  const options = { isTest: () => false, isCode: () => false };
  const starts = (command: Argv) => all.some((tree) => findDefinition(command, tree, options).runners.length > 0);
  const known = new Set(commands.filter(starts).map((command) => JSON.stringify(command)));
  return (command) => known.has(JSON.stringify(command));
}

/** The rules of the repositories, as BOUND.md at their bases says. Throws a UserError (exit 2) if one cannot be read. */
export async function findRules(repos: Batch["repos"]): Promise<Bounds> {
  const found = Object.entries(repos).map(async ([id, { path, base }]) => {
    if (unfitBranchName(base) !== undefined || !(await exists(path))) return [];
    const place = { top: path, gitDir: await findGitDir(path) };
    // A missing repository or branch is refused by name later.
    const tip = await commitNamed(place, `refs/heads/${base}`);
    if (tip === undefined) return [];
    const rules = await rulesAt(place, tip);
    if (rules.as === "unreadable") throw unreadableRules(rules.problems, base, ` of ${id}`);
    return rules.as === "absent" ? [] : [[id, rules.bound] as const];
  });
  return Object.fromEntries((await Promise.all(found)).flat());
}
