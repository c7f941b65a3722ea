import type { Change } from "../../../ports/vcs.ts";
import { displayName } from "../git/git-call.ts";
import { readFilesAt } from "../landing/derived-commit.ts";
import type { Store } from "../repository/store.ts";
import { filtersAt, LFS, parsePointer, whyNotThere } from "./attributes.ts";

/** The beginning of a file that git-crypt has encrypted, under whatever key; the name of its filter may have the key's behind. */
const ENCRYPTED = "\0GITCRYPT\0";
const GIT_CRYPT = /^git-crypt(?:-|$)/;

/** The change with the files that a filter of its start keeps in another form than the change does. Of other filters no form is known. */
export async function withUnfiltered<T extends Change>(store: Store, from: string, change: T): Promise<T> {
  const written = change.paths.filter(({ how, mode }) => how !== "deleted" && (mode === "file" || mode === "executable"));
  const filtered = await filtersAt(
    store,
    from,
    written.map(({ path }) => path),
  );
  const texts = await readFilesAt(store, { commit: change.tip, paths: filtered.map(([path]) => path) });
  const whys = await Promise.all(filtered.map(([path, driver]) => whyUnfit(store, { path, driver, text: texts.get(path) })));
  const unfiltered = whys.filter((why) => why !== undefined);
  return unfiltered.length === 0 ? change : { ...change, unfiltered };
}

async function whyUnfit(
  store: Store,
  { path, driver, text }: { readonly path: string; readonly driver: string; readonly text: string | undefined },
): Promise<string | undefined> {
  if (text === "") return undefined;
  if (GIT_CRYPT.test(driver) && text?.startsWith(ENCRYPTED) !== true)
    return `${displayName(path)} is kept encrypted by git-crypt, and is in plain text here: a person has to write it`;
  if (driver !== LFS) return undefined;
  const pointer = text === undefined ? undefined : parsePointer(text);
  if (pointer === undefined)
    return `${displayName(path)} is kept by Git LFS, and is no pointer here: write its content, uncommitted`;
  return whyNotThere(store, path, pointer);
}
