import picomatch from "picomatch";
import { withoutRunnerDefaults } from "../../domain/batch/default-protect.ts";
import type { Ticket } from "../../domain/batch/schema.ts";
import type { Evidence } from "../../domain/run/attempt-fact.ts";
import { describeElsewhere } from "../../domain/run/kept-work.ts";
import { describeSubmoduleEdits, movedSubmodules } from "../../domain/run/moved-submodule.ts";
import { boundedList, plainText } from "../../domain/values/text.ts";
import type { Change, ChangedPath } from "../../ports/vcs.ts";
import { onTheWayTo, protectedBy } from "../programs/protected-files.ts";
import type { StepResult } from "./step.ts";

/** Folders of one path. Matching a deeper one takes long, and no repository is known to have any. */
const MOST_FOLDERS = 100;

/**
 * Checks the files of a change, before any of its code runs: it must not be empty, must not touch a protected path, and must not
 * bring a submodule, move one to a commit that is not here (adversary cases A32, D15: path tricks by case and Unicode form are folded
 * away), or hold content that a filter of the base should have changed. The rules of the ticket's contract on its change hold too. `here`:
 * the submodules of the change whose commits are here.
 */
export function gates(
  change: Change,
  protect: readonly string[],
  contract?: Ticket["contract"],
  here: readonly string[] = [],
): StepResult {
  const inside = describeSubmoduleEdits(change);
  if (change.paths.length === 0) return refuseNothing(change, inside);
  const deep = change.paths.filter(({ path }) => path.split("/").length - 1 >= MOST_FOLDERS);
  if (deep.length > 0) return refuse(`a path has ${MOST_FOLDERS} folders or more`, boundedList(deep.map(describe)));
  const touched = touchedProtected(change, protect).map(describe);
  if (touched.length > 0) {
    const summary = touched.length === 1 ? `protected path touched: ${touched[0]}` : `${touched.length} protected paths touched`;
    return refuse(summary, boundedList(touched), { cause: "blocked-path" });
  }
  const submodules = change.paths
    .filter(({ mode, moved, path }) => mode === "submodule" && !(moved && here.includes(path)))
    .map(describe);
  if (submodules.length > 0) return refuse("a submodule or nested repository was added or moved", boundedList(submodules));
  const { unfiltered = [] } = change;
  if (unfiltered.length > 0)
    return refuse(plainText(unfiltered[0] ?? "", 400), boundedList(unfiltered.map((why) => plainText(why, 400))));
  const stray = strayPaths(change, contract).map(describe);
  if (stray.length > 0) return refuse(`outside the contract's safety.only: ${stray[0]}${more(stray)}`, boundedList(stray));
  const most = contract?.safety?.files ?? Number.POSITIVE_INFINITY;
  if (change.paths.length > most)
    return refuse(`${change.paths.length} files touched; the contract allows ${most}`, boundedList(change.paths.map(describe)));
  const { paths, additions, deletions } = change;
  const counts = `${paths.length} ${paths.length === 1 ? "file" : "files"}, +${additions} −${deletions}`;
  const summary = [counts, ...movedSubmodules(paths), ...(inside === "" ? [] : [inside])].join("; ");
  return { ok: true, summary, commit: change.tip };
}

function refuseNothing(change: Change, inside: string): StepResult {
  const left = describeElsewhere(change.elsewhere ?? []);
  if (left !== "")
    return refuse(`the worktree has no change; ${left}`, "Leave the one change in the worktree, on its own branch.");
  return refuse(inside || "nothing was changed", "The worker stopped, but its worktree holds no change against the base.");
}

/**
 * The paths that a ticket may not touch: the batch's protect list, and files of attributes. With those a change would decide how
 * files that it does not touch are checked out, diffed and merged (adversary case F2). A ticket that may change how tests are run
 * may touch what only the defaults protect for runners. What its contract protects stays so.
 */
export function protectedFor(
  list: readonly string[],
  { allow, contract }: Pick<Ticket, "allow" | "contract">,
): readonly string[] {
  const free = allow?.configuration === true ? withoutRunnerDefaults(list) : list;
  const protect = [...new Set([...free, ...(contract?.safety?.protect ?? [])])];
  return allow?.attributes === true ? protect : [...protect, ".gitattributes"];
}

/** The changed paths that no glob of the contract's `only` matches. Case counts: a path in other spelling is another file. */
export function strayPaths(change: Pick<Change, "paths">, contract: Ticket["contract"]): readonly ChangedPath[] {
  const { only } = contract?.safety ?? {};
  if (only === undefined) return [];
  const globs = only.map((glob) => (glob.includes("/") ? glob.replace(/\/$/, "/**") : `{**/,}${glob}`));
  const matches = picomatch(globs, { dot: true });
  return change.paths.filter(({ path }) => !matches(path));
}

/**
 * The changed paths that are protected, and new links and moved submodules at a folder that a glob names on the way to protected files:
 * through such a link, the change would replace them.
 */
export function touchedProtected(change: Pick<Change, "paths">, protect: readonly string[]): readonly ChangedPath[] {
  const isProtected = protectedBy(protect);
  const isOnTheWay = onTheWayTo(protect);
  return change.paths.filter(
    ({ path, mode, how, moved }) =>
      isProtected(path) || ((mode === "symlink" || moved !== undefined) && how !== "deleted" && isOnTheWay(path)),
  );
}

function more({ length }: readonly string[]): string {
  return length > 1 ? ` and ${length - 1} more` : "";
}

function describe(changed: ChangedPath): string {
  const [moved] = movedSubmodules([changed]);
  if (moved !== undefined) return `${moved}, a commit that is not here: git submodule update fetches it`;
  return `${plainText(changed.path, 200)} (${changed.how})`;
}

function refuse(summary: string, detail: string, more: Pick<Evidence, "cause"> = {}): StepResult {
  return { ok: false, evidence: { step: "gates", name: "gates", summary, detail, ...more } };
}
