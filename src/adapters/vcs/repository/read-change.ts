import { readFile, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { isWholePatch, type ShownChange } from "../../../domain/review/shown-change.ts";
import { GitFailure, GitMissing, objectId } from "../git/git-call.ts";
import { writePatch } from "../landing/patch.ts";
import { locate } from "./locate.ts";
import { openStore, type Store } from "./store.ts";

/** A change as it is shown, or the reason why it cannot be. */
export type ReadChange = ({ readonly ok: true } & ShownChange) | { readonly ok: false; readonly why: string };

/**
 * The change from one commit to another of the repository at `path`, for people: the first `maxBytes` of its patch.
 * Without `from`: from the first parent of `tip`. Nothing is written to the repository, and no program that its
 * configuration names runs.
 */
export async function readChange(options: {
  readonly path: string;
  readonly from?: string;
  readonly tip: string;
  readonly maxBytes: number;
}): Promise<ReadChange> {
  try {
    const store = await openStore(await locate(await realpath(options.path)), "main");
    try {
      const text = await changePatch(store, options);
      return { ok: true, commit: options.tip, text, whole: isWholePatch(text) };
    } finally {
      // Each change read leaves one scratch folder.
      await rm(store.scratch, { recursive: true, force: true });
    }
  } catch (error) {
    if (error instanceof GitMissing) return { ok: false, why: "there is no git program" };
    if (error instanceof GitFailure) return { ok: false, why: "git does not have this change any more" };
    if (error instanceof Error && "code" in error)
      return { ok: false, why: `the repository cannot be read (${String(error.code)})` };
    throw error;
  }
}

async function changePatch(
  store: Store,
  { from, tip, maxBytes }: Omit<Parameters<typeof readChange>[0], "path">,
): Promise<string> {
  const base = from ?? (await store.content(["rev-parse", "--verify", "--end-of-options", `${objectId(tip)}^1`])).trim();
  const file = join(store.scratch, "change.patch");
  await writePatch(store, { from: base, tip, file, maxBytes, shown: true });
  return readFile(file, "utf8");
}
