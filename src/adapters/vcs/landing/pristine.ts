import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ChangedAttributes, changedAttributes, fillLargeFiles, namesFilter, toBase } from "../capture/attributes.ts";
import { SHARED_OBJECTS } from "../capture/worker-git.ts";
import { type GitCall, objectId, type Setting } from "../git/git-call.ts";
import { makeGitDir } from "../repository/git-dir.ts";
import { packedRefs, refSnapshot } from "../repository/ref-snapshot.ts";
import type { Store } from "../repository/store.ts";
import { fillSubmodules } from "../repository/submodules.ts";

/** Files keep their stored line ends, whatever this machine's settings say. */
const AS_STORED: readonly Setting[] = [["core.autocrlf", "false"]];

/** Overrides every .gitattributes (gitattributes(5)): files are written byte by byte as they are stored. */
const RAW = "* -text -eol -crlf -ident -filter -working-tree-encoding\n";

/**
 * A checkout of a commit in a new folder, with its own git folder. Its objects are borrowed from the repository through
 * `alternates` (and from those of the repository itself), which git only reads; its configuration and hooks are new. So it knows
 * no filter, and no git command in it can change the user's repository. HEAD is on a branch of the base's name, and branches and
 * tags are those of the user's repository: code under test must not learn from them where it runs (adversary case F3). Refuses a
 * folder that exists.
 *
 * Files are converted by the attributes of `attributesOf` (adversary case F2). The commit's own attributes files lie there as
 * they are stored.
 */
export async function pristineCheckout(
  store: Store,
  options: { readonly commit: string; readonly path: string; readonly attributesOf?: string },
): Promise<void> {
  const commit = objectId(options.commit);
  const rules = objectId(options.attributesOf ?? commit);
  await mkdir(options.path, { mode: 0o700 });
  const gitDir = join(options.path, ".git");
  const { format, objects } = store.at;
  const [changed, refs] = await Promise.all([
    changedAttributes(store, rules, commit),
    refSnapshot(store),
    makeGitDir({ dir: gitDir, head: `ref: ${store.baseRef}`, format, bare: false, borrowed: [objects] }),
  ]);
  const git: InCheckout = (args, more = {}) => inCheckout(store, options.path, args, more);
  const [largeFiles] = await Promise.all([
    writeFiles(git, { gitDir, commit, changed, listed: () => listLargeFiles(store, git, rules) }),
    writeFile(join(gitDir, "packed-refs"), packedRefs(refs.set(store.baseRef, commit))),
  ]);
  await fillLargeFiles(store, options.path, largeFiles);
  await fillSubmodules(store, { commit, path: options.path, settings: AS_STORED, isKept: false });
  // In a sandbox the objects lie elsewhere (see checkoutView), and outside nobody else uses this git folder.
  if (store.sandbox?.kind === "bubblewrap") await writeFile(join(gitDir, "objects", "info", "alternates"), `${SHARED_OBJECTS}\n`);
}

/** Runs git in the checkout. It must succeed; returns its stdout. */
type InCheckout = (args: readonly string[], more?: Pick<GitCall, "index" | "input">) => Promise<string>;

function inCheckout(
  store: Store,
  path: string,
  args: readonly string[],
  more: Pick<GitCall, "index" | "input">,
): Promise<string> {
  const { shallow } = store.at;
  const gitDir = join(path, ".git");
  return store.run({ args, gitDir, workTree: path, config: AS_STORED, shallow, ...more });
}

interface ToWrite {
  readonly gitDir: string;
  readonly commit: string;
  readonly changed: readonly ChangedAttributes[];
  /** Lists the Git LFS files while the base's attributes lie in the checkout. */
  readonly listed: () => Promise<readonly string[]>;
}

/** Writes index and files. Returns the Git LFS files. */
async function writeFiles(git: InCheckout, { gitDir, commit, changed, listed }: ToWrite): Promise<readonly string[]> {
  if (changed.length === 0) {
    await git(["read-tree", "-m", "-u", commit]);
    return listed();
  }
  const index = join(gitDir, "index.rules");
  await git(["read-tree", commit], { index });
  const paths = (await git(["ls-files", "-z"], { index })).split("\0").filter((path) => path !== "");
  const folders = new Set(paths.flatMap(containingFolders));
  await git(["update-index", "-z", "--index-info"], { index, input: toBase(changed, folders) });
  const tree = (await git(["write-tree"], { index })).trim();
  await rm(index);
  await git(["read-tree", "-m", "-u", tree]);
  const found = await listed();
  // Now the candidate's own attributes, which nothing reads from here on.
  const raw = join(gitDir, "info");
  await mkdir(raw);
  await writeFile(join(raw, "attributes"), RAW);
  await git(["read-tree", "--reset", "-u", tree, commit]);
  await rm(raw, { recursive: true });
  return found;
}

/** The folders that contain a path; "" is the top. */
function containingFolders(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.length === 0 ? [""] : ["", ...parts.map((_, i) => parts.slice(0, i + 1).join("/"))];
}

async function listLargeFiles(store: Store, git: InCheckout, rules: string): Promise<readonly string[]> {
  if (!(await namesFilter(store, rules))) return [];
  const listed = await git(["ls-files", "-z", "--", ":(attr:filter=lfs)"]);
  return listed.split("\0").filter((path) => path !== "");
}
