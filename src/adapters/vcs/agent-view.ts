import { createHash } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Confinement } from "../../ports/sandbox.ts";
import { adminDirsOf } from "./admin-dirs.ts";
import { branchRef } from "./ref-names.ts";
import type { Store } from "./store.ts";

/** Where a confined worker finds the repository's objects, which it may read. */
const SHARED_OBJECTS = "/run/loopdash/objects";

/** What of the repository's settings a confined git is told: how files are kept. No remote, no address, no credential. */
const TOLD = /^(?:core\.(?:filemode|ignorecase|symlinks|autocrlf|eol|precomposeunicode)|extensions\.objectformat)$/;

/** A folder of ours with what a confined worker writes in the place of the repository's objects and refs. */
export function agentDir(store: Store, path: string): string {
  return join(store.scratch, `a-${createHash("sha256").update(path).digest("hex").slice(0, 32)}`);
}

/**
 * What a confined worker sees of the repository: all of it read-only, but its worktree, the worktree's record, and, in the
 * place of the objects and of the folder with its branch, empty ones of its own. So nothing that it writes is in the
 * repository before it was looked at (see harvest.ts). The `.git` file, `commondir` and `gitdir` stay as they are: a worker
 * that could point them elsewhere would choose what runs at the next git command (facts of git: core.fsmonitor).
 */
export async function agentView(
  store: Store,
  of: { readonly path: string; readonly branch: string },
): Promise<Pick<Confinement, "write" | "read" | "mounts">> {
  const ref = branchRef(of.branch);
  const { commonDir, objects } = store.at;
  const admin = (await adminDirsOf(commonDir, of.path))[0]?.dir;
  if (admin === undefined) throw new Error(`there is no worktree at ${of.path}`);
  const own = agentDir(store, of.path);
  await rm(own, { recursive: true, force: true });
  await makeOwn(store, own, ref);
  const logs = join(commonDir, "logs", dirname(ref));
  await Promise.all([logs, join(admin, "logs")].map((folder) => mkdir(folder, { recursive: true })));
  return {
    write: [of.path, admin],
    read: [commonDir, join(of.path, ".git"), join(admin, "commondir"), join(admin, "gitdir")],
    mounts: [
      { from: join(own, "config"), at: join(commonDir, "config"), write: false },
      { from: join(own, "objects"), at: objects, write: true },
      { from: objects, at: SHARED_OBJECTS, write: false },
      { from: join(own, "refs"), at: join(commonDir, dirname(ref)), write: true },
      // Logs of commits that are never taken over would be broken ones.
      { from: join(own, "logs"), at: logs, write: true },
      { from: join(own, "head-logs"), at: join(admin, "logs"), write: true },
    ],
  };
}

async function makeOwn(store: Store, own: string, ref: string): Promise<void> {
  const folders = ["objects/info", "objects/pack", "refs", "logs", "head-logs"].map((name) => join(own, name));
  await Promise.all(folders.map((folder) => mkdir(folder, { recursive: true, mode: 0o700 })));
  const tip = await store.readBranch(ref);
  if (tip === undefined) throw new Error(`the branch ${ref} is gone`);
  await Promise.all([
    writeFile(join(own, "objects", "info", "alternates"), `${SHARED_OBJECTS}\n`),
    writeFile(join(own, "refs", basename(ref)), `${tip}\n`),
    writeFile(join(own, "config"), configText(store)),
  ]);
}

/** A configuration file with the settings that are told. Values are quoted as git-config(1) says. */
function configText(store: Store): string {
  const { format, settings } = store.at;
  const lines = [
    ["core.repositoryformatversion", format === "sha1" ? "0" : "1"],
    ["core.bare", "false"],
    ["gc.auto", "0"],
  ];
  for (const [name, value] of settings) if (TOLD.test(name)) lines.push([name, value]);
  return lines
    .map(([name = "", value = ""]) => {
      const [section, key] = name.split(".");
      return `[${section}]\n\t${key} = "${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"\n`;
    })
    .join("");
}
