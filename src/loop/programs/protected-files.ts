import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, opendir, readlink, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import picomatch from "picomatch";
import { hasErrorCode } from "../../domain/values/error-text.ts";

const FOLDS: readonly ((text: string) => string)[] = [
  (text) => text.normalize("NFC").toLowerCase(),
  // As file systems see a name that fold case in full and pass over characters that are ignored by default: APFS, ext4 with casefold.
  (text) =>
    text
      .normalize("NFD")
      .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
      .toUpperCase()
      .toLowerCase()
      .normalize("NFC"),
];

/**
 * Whether a path is covered by the protect list, as this or another file system would see it. A glob without a slash covers
 * the name, file or folder, everywhere.
 */
export function protectedBy(protect: readonly string[]): (path: string) => boolean {
  if (protect.length === 0) return () => false;
  const matchers = FOLDS.map((fold) => matcher(protect, fold));
  return (path) => matchers.some((matches) => matches(path));
}

function matcher(protect: readonly string[], caseless: (text: string) => string): (path: string) => boolean {
  // picomatch's `**` stops at line breaks, which file names may hold.
  const fold = (text: string): string => caseless(text).replace(/[\n\r\u2028\u2029]/g, "_");
  const names = protect.filter((glob) => !glob.includes("/")).map(fold);
  const paths = protect.filter((glob) => glob.includes("/")).map((glob) => fold(glob.replace(/\/$/, "/**")));
  const matchesPath = picomatch([...paths, ...names.map((name) => `**/${name}/**`)], { dot: true });
  const matchesName = picomatch(names, { dot: true, basename: true });
  return (path) => matchesPath(fold(path)) || matchesName(fold(path));
}

/** What is protected in a checkout, by path: what each file holds, or where each link leads. */
export type ProtectedFiles = ReadonlyMap<string, string>;

/** Entries that are looked at: more than any known tree of packages has. A worker's tree is no list to hold in memory. */
const MOST_ENTRIES = 2_000_000;
const AT_ONCE = 256;

/** Looks at every protected file of a folder but git's own. */
export async function protectedFiles(folder: string, protect: readonly string[]): Promise<ProtectedFiles> {
  const found = new Map<string, string>();
  if (protect.length === 0) return found;
  const isProtected = protectedBy(protect);
  let seen = 0;
  for await (const entry of await opendir(folder, { recursive: true, bufferSize: AT_ONCE })) {
    seen += 1;
    if (seen > MOST_ENTRIES) throw new Error(`the checkout holds more than ${MOST_ENTRIES} files and folders`);
    const path = join(entry.parentPath, entry.name).slice(folder.length + 1);
    if (entry.isDirectory() || path.startsWith(".git/") || !isProtected(path)) continue;
    found.set(path, await contentOf(join(folder, path)));
  }
  return found;
}

/** Those that are gone or no longer what they were. */
export async function changedFiles(folder: string, before: ProtectedFiles): Promise<readonly string[]> {
  const changed: string[] = [];
  for (const [path, content] of before) if ((await contentOf(join(folder, path))) !== content) changed.push(path);
  return changed;
}

/** Of these files of a checkout, those that hold something else in a pristine one. */
export async function differingFiles(folder: string, pristine: string, paths: readonly string[]): Promise<readonly string[]> {
  const differing: string[] = [];
  for (const path of paths)
    if ((await bytesOf(join(folder, path))) !== (await bytesOf(join(pristine, path)))) differing.push(path);
  return differing;
}

/** Of these files of a checkout, those that lie in a folder which is reached by a link, or is not there any more. */
export async function behindLinks(checkout: string, paths: readonly string[]): Promise<readonly string[]> {
  const root = await realpath(checkout);
  const byFolder = Map.groupBy(paths, (path) => dirname(join(root, path)));
  const found: string[] = [];
  for (const [folder, inIt] of byFolder) {
    const place = await realpath(folder).catch(() => undefined);
    if (place !== folder) found.push(...inIt);
  }
  return found;
}

/** What a file holds, whether it may be executed or not. */
async function bytesOf(file: string): Promise<string> {
  return (await contentOf(file)).replace(/^[x-] /, "");
}

async function contentOf(file: string): Promise<string> {
  try {
    const found = await lstat(file);
    if (found.isSymbolicLink()) return `link ${await readlink(file)}`;
    if (!found.isFile()) return "neither file nor link";
    const executable = (found.mode & 0o100) !== 0 ? "x" : "-";
    const hash = createHash("sha256");
    for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
    return `${executable} ${hash.digest("hex")}`;
  } catch (error) {
    if (isErrorCode(error, "ENOENT", "ENOTDIR", "ELOOP", "EACCES")) return "nothing";
    throw error;
  }
}

/** Whether a file operation failed by one of these codes (errno(3)). */
export function isErrorCode(error: unknown, ...codes: readonly string[]): boolean {
  return hasErrorCode(error, ...codes);
}
