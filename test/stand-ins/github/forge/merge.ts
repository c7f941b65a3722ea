import { git, tryGit } from "./git.ts";
import type { MergeMethod } from "./model.ts";

/** What a merge makes of a base and a head. */
export interface Merging {
  readonly base: string;
  readonly head: string;
  readonly method: MergeMethod;
  /** The commit's message; a rebase keeps those of its commits. */
  readonly message: string;
  /** Who opened the pull request. */
  readonly author: string;
  /** Milliseconds. */
  readonly now: number;
}

/** The tree of both commits merged; undefined if they conflict. */
export async function mergedTree(folder: string, ours: string, theirs: string): Promise<string | undefined> {
  const { code, stdout, stderr } = await tryGit(folder, ["merge-tree", "--write-tree", "--no-messages", ours, theirs]);
  if (code > 1) throw new Error(`git merge-tree failed: ${stderr}`);
  return code === 0 ? stdout.split("\n")[0] : undefined;
}

/** The commit that stands on the base after the merge, made but on no branch; undefined if there are conflicts. */
export async function mergedCommit(folder: string, merging: Merging): Promise<string | undefined> {
  const { base, head, method, message, author, now } = merging;
  if (method === "rebase") return rebased(folder, merging);
  const tree = await mergedTree(folder, base, head);
  if (tree === undefined) return undefined;
  return commitTree(folder, { tree, parents: method === "merge" ? [base, head] : [base], message, env: byLogin(author, now) });
}

async function rebased(folder: string, { base, head, now }: Merging): Promise<string | undefined> {
  const list = await git(folder, ["rev-list", "--reverse", "--no-merges", `${base}..${head}`]);
  let tip = base;
  for (const commit of list.split("\n").filter((line) => line !== "")) {
    // On top of the picked commit's parent, with the tip's tree: so the merge base is that parent.
    const env = byLogin("github", now);
    const beside = await commitTree(folder, { tree: `${tip}^{tree}`, parents: [`${commit}^`], message: "pick", env });
    const tree = await mergedTree(folder, beside, commit);
    if (tree === undefined) return undefined;
    const [name = "", email = "", date = "", ...lines] = (
      await git(folder, ["show", "-s", "--format=%an%n%ae%n%ad%n%B", "--date=raw", commit])
    ).split("\n");
    const author = { ...env, GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: `@${date}` };
    tip = await commitTree(folder, { tree, parents: [tip], message: lines.join("\n").trim(), env: author });
  }
  return tip;
}

export function commitTree(
  folder: string,
  {
    tree,
    parents,
    message,
    env,
  }: {
    readonly tree: string;
    readonly parents: readonly string[];
    readonly message: string;
    readonly env: Readonly<Record<string, string>>;
  },
): Promise<string> {
  const args = ["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent])];
  return git(folder, args, { input: `${message}\n`, env });
}

/** Who made a commit, for git's environment. GitHub itself is the committer. */
export function byLogin(login: string, now: number): Readonly<Record<string, string>> {
  const date = `@${Math.floor(now / 1000)} +0000`;
  return {
    GIT_AUTHOR_NAME: login,
    GIT_AUTHOR_EMAIL: `${login}@users.noreply.github.com`,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: "GitHub",
    GIT_COMMITTER_EMAIL: "noreply@github.com",
    GIT_COMMITTER_DATE: date,
  };
}
