import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { RepoUnavailable } from "../../../ports/vcs.ts";
import { type Signer, signatureHeader } from "../landing/sign.ts";
import { findClash } from "../repository/ref-snapshot.ts";
import type { Store } from "../repository/store.ts";
import { GitFailure, type GitResult, IDENTITY, isObjectId, MAIL, objectId } from "./git-call.ts";

/** A move of a ref: created if it does not exist, deleted if `to` is not given. */
interface Move {
  readonly to?: string;
  /** If given, the ref is moved only from this commit. */
  readonly from?: string;
  /** True to follow a symbolic ref and move the ref that it names. */
  readonly follow?: boolean;
}

/** Moves a ref in one transaction. A status other than 0 means that nothing was moved; null means that the outcome is unknown. */
export function tryMoveRef(store: Store, ref: string, move: Move): Promise<GitResult> {
  const from = move.from === undefined ? "" : ` ${objectId(move.from)}`;
  const change = move.to === undefined ? `delete ${ref}${from}` : `update ${ref} ${objectId(move.to)}${from}`;
  const input = `start\n${move.follow === true ? "" : "option no-deref\n"}${change}\nprepare\ncommit\n`;
  return store.tryRefs(["update-ref", "-m", "loopdash", "--stdin"], { session: "transaction", input });
}

/**
 * Like `tryMoveRef`, but never follows a symbolic ref. Throws a GitFailure if nothing was moved, and a RepoUnavailable if another branch's
 * name is in the way.
 */
export async function moveRef(store: Store, ref: string, move: Omit<Move, "follow">): Promise<void> {
  const result = await tryMoveRef(store, ref, move);
  if (result.status === 0) return;
  const clash = move.to === undefined ? undefined : await findClash(store, ref);
  throw clash === undefined ? new GitFailure(["update-ref"], result) : new RepoUnavailable(`${clash.why}; ${clash.todo}`);
}

/** The tree of a commit, or its first parent. Undefined if there is none, or if the commit does not exist. */
export async function readCommitPart(store: Store, commit: string, part: "tree" | "parent"): Promise<string | undefined> {
  const question = `${objectId(commit)}${part === "tree" ? "^{tree}" : "^1"}`;
  const result = await store.tryContent(["cat-file", "--batch-check"], { session: "line", input: `${question}\n` });
  if (result.status !== 0) throw new GitFailure(["cat-file"], result);
  const [id = ""] = result.stdout.split(" ");
  return isObjectId(id) ? id : undefined;
}

/** The times of the commits that this process has written or asked for; a commit never changes. */
const commitTimes = new WeakMap<Store, Map<string, number>>();

function storeCommitTimes(store: Store): Map<string, number> {
  const times = commitTimes.get(store) ?? new Map<string, number>();
  commitTimes.set(store, times);
  return times;
}

/** The committer's time of a commit, in seconds since 1970. Throws a GitFailure if the commit does not exist. */
export async function commitTime(store: Store, commit: string): Promise<number> {
  const known = storeCommitTimes(store).get(commit);
  if (known !== undefined) return known;
  const seconds = Number((await store.content(["log", "-1", "--format=%ct", objectId(commit)])).trim());
  storeCommitTimes(store).set(commit, seconds);
  return seconds;
}

/** The people of a commit, its time in seconds since 1970, and its signature. */
interface Making {
  readonly author: string;
  readonly committer: string;
  readonly at: number;
  readonly sign?: Signer | undefined;
}

/** Writes a commit with one parent on no branch; returns its id. It is loopdash's own, made now, unless `as` says otherwise. */
export async function writeCommit(
  store: Store,
  options: { readonly tree: string; readonly parent: string; readonly message: string; readonly as?: Making | undefined },
): Promise<string> {
  const us = `${IDENTITY} <${MAIL}>`;
  const { author, committer, at, sign } = options.as ?? { author: us, committer: us, at: Math.floor(Date.now() / 1000) };
  const head = [
    `tree ${objectId(options.tree)}`,
    `parent ${objectId(options.parent)}`,
    `author ${author} ${at} +0000`,
    `committer ${committer} ${at} +0000`,
  ];
  const message = options.message.replaceAll("\0", "").trimEnd();
  const body = `${message === "" ? "(no message)" : message}\n`;
  const signature = await sign?.(`${head.join("\n")}\n\n${body}`);
  const signed = signature === undefined ? head : [...head, signatureHeader(signature, store.at.format)];
  const name = `commit-${randomUUID()}`;
  const file = join(store.scratch, name);
  try {
    await writeFile(file, `${signed.join("\n")}\n\n${body}`);
    const args = ["hash-object", "-t", "commit", "-w", "--no-filters", "--stdin-paths"];
    const result = await store.tryContent(args, { session: "line", input: `${name}\n` });
    if (result.status !== 0) throw new GitFailure(args, result);
    const commit = objectId(result.stdout.trim());
    storeCommitTimes(store).set(commit, at);
    return commit;
  } finally {
    await rm(file, { force: true });
  }
}
