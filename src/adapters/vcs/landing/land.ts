import { type Landing, RepoUnavailable } from "../../../ports/vcs.ts";
import { isObjectId, objectId } from "../git/git-call.ts";
import { readCommitPart, tryMoveRef } from "../git/git-queries.ts";
import { type Compare, filesUnlikeCommit } from "../repository/compare-checkout.ts";
import { baseTip, isAncestor } from "../repository/history.ts";
import type { Store } from "../repository/store.ts";
import { bringAlong, checkoutsOfBase, type UserCheckout, whyNotFollow } from "../repository/user-checkout.ts";

const BY_FILTERS: Compare = { filters: true };

/**
 * Moves the base from `from` to `to`, and the user's checkouts with it.
 *
 * The order is: check (nothing changes), move the ref by compare-and-swap, update the checkouts. The swap is the one step that
 * decides, so a landing that loses it has touched no file. If loopdash is killed after the swap, the ref tells the next attempt,
 * and the checkout still shows exactly `from`, which marks an interrupted landing and not a person's work. In the other order, a
 * kill would leave staged changes that look like a person's, and a lost swap would have to revert files. If a person's edit slips
 * in between check and update, or git does not update for a reason that the check does not show, the ref is swapped back. Such a
 * checkout is `unwilling`: from then on a dry run comes first, so that the ref does not move back and forth at each attempt.
 * Throws a RepoUnavailable if git cannot move the ref, which nobody else has moved.
 */
export async function land(
  store: Store,
  options: { readonly from: string; readonly to: string },
  known: { readonly ours: ReadonlySet<string>; readonly unwilling: Set<string> },
): Promise<Landing> {
  const from = objectId(options.from);
  const to = objectId(options.to);
  // A base that holds `to` already may hold more: it is never moved back. Asked before the base is looked at: it may move meanwhile.
  // What stands on `from` itself is no part of its history.
  const isBack = (await readCommitPart(store, to, "parent")) !== from && (await isAncestor(store, to, from));
  const checkouts = await checkoutsOfBase(store, known.ours);
  const tip = await baseTip(store);
  if (tip !== from || isBack) return alreadyMoved(store, checkouts, { from, to, tip });

  for (const checkout of checkouts) {
    const reason = await whyNotFollow(store, checkout, { from, to, rehearse: known.unwilling.has(checkout.path) });
    if (reason === undefined) continue;
    // A checkout that another landing has brought along meanwhile looks like a person's work.
    const now = await baseTip(store);
    return now === from ? { as: "waiting", reason } : alreadyMoved(store, checkouts, { from, to, tip: now });
  }
  const lost = await swap(store, from, to);
  if (lost !== undefined) {
    const now = await baseTip(store);
    // Nobody else has moved it: another program's lock, or the disk.
    if (now === from) throw new RepoUnavailable(lost);
    return alreadyMoved(store, checkouts, { from, to, tip: now });
  }
  return follow(store, checkouts, { from, to }, known.unwilling);
}

/** Compare-and-swap of the base. Returns undefined, or git's message if it failed. */
async function swap(store: Store, from: string, to: string): Promise<string | undefined> {
  const result = await tryMoveRef(store, store.baseRef, { to, from, follow: true });
  return result.status === 0 ? undefined : `the base could not be moved: ${result.stderr.trim().slice(0, 500)}`;
}

async function follow(
  store: Store,
  checkouts: readonly UserCheckout[],
  { from, to }: { readonly from: string; readonly to: string },
  unwilling: Set<string>,
): Promise<Landing> {
  const followed: UserCheckout[] = [];
  for (const checkout of checkouts) {
    const failed = await bringAlong(store, checkout, { from, to, dryRun: false });
    if (failed === undefined) {
      followed.push(checkout);
      continue;
    }
    unwilling.add(checkout.path);
    // If somebody has built on `to` meanwhile, it has landed, and the checkout is theirs to update.
    if ((await swap(store, to, from)) !== undefined && (await baseTip(store)) !== from) return { as: "landed" };
    for (const each of followed) await bringAlong(store, each, { from: to, to: from, dryRun: false });
    return { as: "waiting", reason: failed };
  }
  return { as: "landed" };
}

/** The base has moved: by an earlier attempt of this landing, whose checkouts may still have to follow, or by somebody else. */
async function alreadyMoved(
  store: Store,
  checkouts: readonly UserCheckout[],
  at: { readonly from: string; readonly to: string; readonly tip: string },
): Promise<Landing> {
  if (!(await isAncestor(store, at.to, at.tip))) return { as: "moved", tip: at.tip };
  for (const checkout of checkouts) {
    if ((await filesUnlikeCommit(store, checkout, at.tip, BY_FILTERS)).length === 0) continue;
    const untouched = (await filesUnlikeCommit(store, checkout, at.from, BY_FILTERS)).length === 0;
    if (untouched) await bringAlong(store, checkout, { from: at.from, to: at.tip, dryRun: false });
  }
  return { as: "landed" };
}

/**
 * True if a checkout looks like that of a landing which was interrupted after the swap: it shows exactly the commit before the
 * tip, and the tip is a ticket's. Its apparent changes are then only the landing in reverse.
 */
export async function isCutOffLanding(store: Store, checkout: UserCheckout, tip: string, how: Compare): Promise<boolean> {
  const args = ["log", "-1", "--format=%P%n%(trailers:key=Loopdash-Ticket,valueonly)", tip];
  const [parent, ticket] = (await store.content(args)).split("\n");
  if (!isObjectId(parent ?? "") || (ticket ?? "").trim() === "") return false;
  return (await filesUnlikeCommit(store, checkout, parent as string, how)).length === 0;
}

/** Updates checkouts that an interrupted landing left behind. Changes nothing else; safe to repeat. */
export async function finishCutOffLanding(store: Store, ours: ReadonlySet<string>): Promise<void> {
  const tip = await baseTip(store);
  for (const checkout of await checkoutsOfBase(store, ours)) {
    if ((await filesUnlikeCommit(store, checkout, tip, BY_FILTERS)).length === 0) continue;
    if (!(await isCutOffLanding(store, checkout, tip, BY_FILTERS))) continue;
    const from = (await store.content(["rev-parse", "--verify", `${tip}^`])).trim();
    await bringAlong(store, checkout, { from, to: tip, dryRun: false });
  }
}
