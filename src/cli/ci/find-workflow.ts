import { parseDocument } from "yaml";
import { listWorkflows } from "../../adapters/forge/github/workflows.ts";
import { runGit } from "../../adapters/vcs/git/run-git.ts";
import { findGitDir } from "../../adapters/vcs/repository/locate.ts";
import { isWorkflow } from "../../domain/batch/default-protect.ts";
import { isMeant, type Workflow } from "../../domain/ci/workflow.ts";
import { firstFewLine, plainText } from "../../domain/values/text.ts";
import { readBaseFiles } from "../engine/base-files.ts";
import { askGitHub, type CiTarget } from "./find-target.ts";
import { refused } from "./origin.ts";

/** A clone and its place at GitHub. */
interface Searched extends Pick<CiTarget, "branch" | "fullName" | "baseUrl" | "token"> {
  readonly repository: Pick<CiTarget["repository"], "path">;
}

/** Workflows that a refusal names. */
const MOST_NAMED = 10;

/**
 * Refuses a workflow that exists neither in the files of the branch nor at GitHub: none of its checks would ever appear. Throws a
 * UserError (exit 4) that names those that exist. Asks GitHub only if no file of the branch is meant.
 */
export async function mustHaveWorkflow(target: Searched, wanted: string): Promise<void> {
  const here = await workflowsOf(target);
  if (here.some((each) => isMeant(each, wanted))) return;
  const { fullName: repo, baseUrl, token } = target;
  const there = await askGitHub(() => listWorkflows({ repo, baseUrl, token, now: Date.now }));
  if (there.some((each) => isMeant(each, wanted))) return;
  const known = new Map([...there, ...here].map((each) => [each.path, labelOf(each)]));
  const names = firstFewLine([...known.values()], MOST_NAMED);
  const why = `neither ${plainText(target.branch, 100)} nor GitHub has a workflow ${plainText(wanted, 100)}`;
  throw refused(why, known.size === 0 ? "There is none at all: leave out --workflow." : `Name one of these: ${names}.`);
}

/** The workflows by the files of the branch's tip. */
async function workflowsOf({ branch, repository: { path } }: Searched): Promise<readonly Workflow[]> {
  const gitDir = await findGitDir(path);
  const args = ["ls-tree", "-z", "--full-tree", "--name-only", `refs/heads/${branch}`, "--", ".github/workflows/"];
  const { stdout } = await runGit(path, { gitDir, args });
  const files = await readBaseFiles({ path, base: branch }, stdout.split("\0").filter(isPlainWorkflow));
  return [...files].map(([file, read]) => ({ path: file, name: read === "too large" ? undefined : nameIn(read.text) }));
}

/** Git takes names of files one a line. */
function isPlainWorkflow(path: string): boolean {
  return isWorkflow(path) && !path.includes("\n");
}

/** The line with the name, which is a key of the whole document: those of jobs are further in. */
const NAME_LINE = /^["']?name["']?[ \t]{0,9}:[ \t].{1,300}$/m;

/** The name that the text of a workflow gives it; undefined if it gives none on one line. */
function nameIn(text: string): string | undefined {
  const name: unknown = parseDocument(NAME_LINE.exec(text)?.[0] ?? "").get("name");
  return typeof name === "string" ? name : undefined;
}

function labelOf({ name, path }: Workflow): string {
  const file = path.slice(path.lastIndexOf("/") + 1);
  return plainText(typeof name === "string" && name !== path ? `${name} (${file})` : file, 100);
}
