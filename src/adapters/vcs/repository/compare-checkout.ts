import { randomUUID } from "node:crypto";
import { copyFile, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { attributesIn } from "../capture/attributes.ts";
import { GitFailure } from "../git/git-call.ts";
import { type Checkout, driversIn, inPersonsCheckout } from "./person-git.ts";
import { ifThere, type Store } from "./store.ts";

/** Whether the filters of the person's settings may run for a comparison: only where a landing brings the checkout along. */
export interface Compare {
  readonly filters: boolean;
}

/** Tracked files in which a checkout, staged or not, differs from a commit. */
export interface CheckoutComparison {
  readonly changed: readonly string[];
  /** Files whose time or size is not that of the index, and which only a filter could compare. */
  readonly unclear: readonly string[];
}

/** Tracked files that are not, or perhaps not, as in a commit. Submodules are not looked into. */
export async function filesUnlikeCommit(
  store: Store,
  checkout: Checkout,
  commit: string,
  how: Compare,
): Promise<readonly string[]> {
  const { changed, unclear } = await compareWithCommit(store, checkout, commit, how);
  return [...changed, ...unclear];
}

/**
 * Compares a checkout with a commit by all settings of its person. Without filters, a file that has one counts as unchanged if its time and
 * size are those of the index, as for git; but git would compare the content too if the file and the index are of the same instant.
 */
export async function compareWithCommit(
  store: Store,
  checkout: Checkout,
  commit: string,
  how: Compare,
): Promise<CheckoutComparison> {
  const index = join(checkout.gitDir, "index");
  if (how.filters) return { changed: [...(await diffFiles(store, checkout, commit, { ...how, index })).keys()], unclear: [] };
  // Not in the person's index, where git would note that filtered files differ.
  const copy = join(store.scratch, `index-${randomUUID()}`);
  const copied = async (seconds: (mtimeMs: number) => number): Promise<Map<string, string>> => {
    await ifThere(copyFile(index, copy));
    const time = seconds((await ifThere(stat(index)))?.mtimeMs ?? 0);
    await ifThere(utimes(copy, time, time));
    return diffFiles(store, checkout, commit, { ...how, index: copy });
  };
  try {
    const found = await copied((mtimeMs) => Math.floor(mtimeMs) / 1000);
    const filtered = await filteredIn(store, checkout, [...found.keys()]);
    // In a younger index, times and sizes alone count.
    const touched = filtered.size === 0 ? found : await copied(() => Date.now() / 1000 + YOUNGER_SECONDS);
    // A file that differs from the index has no id yet.
    const isUnclear = (path: string): boolean => filtered.has(path) && / 0+ M$/.test(touched.get(path) ?? "");
    const paths = [...found.keys()].filter((path) => !filtered.has(path) || touched.has(path));
    return { changed: paths.filter((path) => !isUnclear(path)), unclear: paths.filter(isUnclear) };
  } finally {
    await rm(copy, { force: true });
  }
}

const YOUNGER_SECONDS = 3600;

/**
 * The files that differ, with what git says of each (git-diff(1), raw output). Not by diff-index: it reports a file as changed if only its
 * time changed. `diff` compares the content and notes the new time in the index, which the following read-tree relies on.
 */
async function diffFiles(
  store: Store,
  checkout: Checkout,
  commit: string,
  more: Compare & { readonly index: string },
): Promise<Map<string, string>> {
  const flags = ["--raw", "-z", "--no-abbrev", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all"];
  const fields = (await mustInCheckout(store, checkout, ["diff", ...flags, commit, "--"], more)).split("\0");
  return new Map(fields.flatMap((raw, i) => (i % 2 === 0 && raw !== "" ? [[fields[i + 1] ?? "", raw] as const] : [])));
}

/** Those of these files for which the person's settings define a filter. */
async function filteredIn(store: Store, checkout: Checkout, paths: readonly string[]): Promise<ReadonlySet<string>> {
  const drivers = new Set(driversIn(store.person.filters));
  if (paths.length === 0 || drivers.size === 0) return new Set();
  const input = paths.map((path) => `${path}\0`).join("");
  const said = await mustInCheckout(store, checkout, ["check-attr", "--stdin", "-z", "filter"], { filters: false, input });
  return new Set(attributesIn(said).flatMap(([path, driver]) => (drivers.has(driver) ? [path] : [])));
}

async function mustInCheckout(...options: Parameters<typeof inPersonsCheckout>): Promise<string> {
  const result = await inPersonsCheckout(...options);
  if (result.status !== 0) throw new GitFailure(options[2], result);
  return result.stdout;
}
