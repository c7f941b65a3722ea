import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { git } from "../../test/stand-ins/github/forge/git.ts";
import { type ForgeBench, REPO, TOKEN } from "./stage.ts";

const WHO = { GIT_AUTHOR_NAME: "n", GIT_AUTHOR_EMAIL: "n@n", GIT_COMMITTER_NAME: "n", GIT_COMMITTER_EMAIL: "n@n" };

/** The pause of the script. Milliseconds: loopdash's own longest, so that both see a check as late. */
const PAUSE_MS = 5_000;

interface Opened {
  readonly number: number;
  readonly state: string;
  readonly head: { readonly sha: string };
}

interface Checks {
  readonly check_runs: readonly { readonly conclusion: string | null }[];
}

/**
 * A simple script with the REST calls behind `gh pr create`, `gh pr checks`, `gh pr view --comments` and `gh pr merge`: every few seconds it
 * reads the pull request, the checks and statuses of its head, its reviews, and its comments, until the check has passed.
 */
export async function landNaively({ standIn }: ForgeBench, branch: string): Promise<void> {
  const ask = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await fetch(`${standIn.url}/repos/${REPO}${path}`, init);
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
    return (await response.json()) as T;
  };
  await pushChange(standIn.url, `${standIn.forge.root}/${REPO}.git`, branch);
  const { number, head } = await ask<Opened>("POST", "/pulls", { title: branch, head: branch, base: "main" });
  for (;;) {
    const { state } = await ask<Opened>("GET", `/pulls/${number}`);
    const { check_runs: runs } = await ask<Checks>("GET", `/commits/${head.sha}/check-runs`);
    await ask("GET", `/commits/${head.sha}/status`);
    for (const what of [`/pulls/${number}/reviews`, `/pulls/${number}/comments`, `/issues/${number}/comments`])
      await ask("GET", what);
    const isGreen = runs.some(({ conclusion }) => conclusion === "success");
    if (state === "open" && isGreen) break;
    await sleep(PAUSE_MS);
  }
  await ask("PUT", `/pulls/${number}/merge`, { merge_method: "squash", sha: head.sha });
}

/** Pushes a commit with a file of its own on the tip of main. */
async function pushChange(url: string, folder: string, branch: string): Promise<void> {
  const blob = await git(folder, ["hash-object", "-w", "--stdin"], { input: `${branch}\n` });
  const tree = await git(folder, ["mktree"], { input: `100644 blob ${blob}\t${branch}.txt\n` });
  const commit = await git(folder, ["commit-tree", tree, "-p", "main", "-m", branch], { env: WHO });
  const login = `http.extraHeader=Authorization: Basic ${btoa(`x-access-token:${TOKEN}`)}`;
  await git(folder, ["-c", login, "push", "-q", `${url}/${REPO}.git`, `${commit}:refs/heads/${branch}`]);
}

/**
 * The work of a repair and nothing else, one step after the other: a fresh worktree, a file, a commit, a push. Gives the milliseconds of
 * each of `rounds`.
 */
export async function repairByHand({ standIn }: ForgeBench, rounds: number): Promise<readonly number[]> {
  const folder = await mkdtemp(join(tmpdir(), "loopdash-bench-forge-"));
  const login = `http.extraHeader=Authorization: Basic ${btoa(`x-access-token:${TOKEN}`)}`;
  const times: number[] = [];
  try {
    await git(folder, ["-c", login, "clone", "-q", `${standIn.url}/${REPO}.git`, "clone"]);
    for (let round = 0; round < rounds; round += 1) {
      const begun = performance.now();
      const branch = `by-hand-${round}`;
      const worktree = join(folder, branch);
      await git(join(folder, "clone"), ["worktree", "add", "-q", "-b", branch, worktree, "origin/main"]);
      await writeFile(join(worktree, `${branch}.txt`), "done\n");
      await git(worktree, ["add", "--all"]);
      await git(worktree, ["commit", "-q", "-m", branch], { env: WHO });
      await git(worktree, ["-c", login, "push", "-q", "origin", branch]);
      times.push(performance.now() - begun);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return times;
}
