import type { TouchedFile } from "../../../domain/bound/touched.ts";
import { objectId } from "../git/git-call.ts";
import { mustGit, runGit } from "../git/run-git.ts";
import { AS_RAW, parseRaw } from "../landing/change.ts";
import { checkoutPlace, withoutFilters } from "../repository/locate.ts";
import type { GitPlace } from "./rules-at.ts";

/** Time without output of a git that looks through a checkout: a pipe may lie where nothing is tracked. Milliseconds. */
const CHECKOUT_MS = 60_000;

/** The commit that a person names; undefined if there is none. */
export async function commitNamed({ top, gitDir }: GitPlace, name: string): Promise<string | undefined> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`];
  const { status, stdout } = await runGit(top, { gitDir, args });
  return status === 0 ? stdout.trim() : undefined;
}

/** The paths that a commit changes against the place where it left the base. */
export async function changeOfCommit(place: GitPlace, base: string, commit: string): Promise<readonly TouchedFile[]> {
  const { top, gitDir } = place;
  const from = await mergeBase(place, base, commit);
  return parseRaw(await mustGit(top, { gitDir, args: ["diff-tree", "-r", ...AS_RAW, from, objectId(commit)] })).paths;
}

/** The paths that the checkout changes, with what is not committed, against the place where it left the base. */
export async function changeOfCheckout(place: GitPlace, base: string): Promise<readonly TouchedFile[]> {
  const { top, gitDir } = place;
  const head = await commitNamed(place, "HEAD");
  const from = head === undefined ? objectId(base) : await mergeBase(place, base, head);
  const at = { ...(await checkoutPlace(top, gitDir)), silenceMs: CHECKOUT_MS };
  // Git asks a submodule for its state by a process with the submodule's own settings.
  const args = ["diff", ...AS_RAW, "--ignore-submodules=dirty", from, "--"];
  const tracked = parseRaw(await mustGit(top, { ...at, args })).paths;
  const others = await mustGit(top, { ...at, args: ["ls-files", "--others", "--exclude-standard", "-z"] });
  const fresh = others.split("\0").flatMap((path): TouchedFile[] => (path === "" ? [] : [{ path, how: "added", mode: "file" }]));
  return [...tracked, ...fresh];
}

/** Writes the files of a commit into an existing empty folder. `index` is a file to make. */
export async function writeCommit(
  { top, gitDir }: GitPlace,
  { commit, folder, index }: { readonly commit: string; readonly folder: string; readonly index: string },
): Promise<void> {
  await mustGit(top, { gitDir, index, args: ["read-tree", objectId(commit)] });
  const config = await withoutFilters(top, gitDir);
  await mustGit(top, { gitDir, index, workTree: folder, config, args: ["checkout-index", "--all", "--force"] });
}

async function mergeBase({ top, gitDir }: GitPlace, base: string, commit: string): Promise<string> {
  const { status, stdout } = await runGit(top, { gitDir, args: ["merge-base", objectId(base), objectId(commit)] });
  // Histories without a common commit differ in everything.
  return status === 0 ? (stdout.trim().split("\n")[0] ?? base) : base;
}
