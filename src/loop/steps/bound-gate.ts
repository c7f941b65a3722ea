import type { Bound } from "../../domain/bound/bound.ts";
import { BOUND_FILE, describeOrigin } from "../../domain/bound/bound.ts";
import { changeDigest } from "../../domain/bound/change-digest.ts";
import { type BoundFate, boundFate, type TouchedZone, touchedZones } from "../../domain/bound/touched.ts";
import type { ComplexityRuling } from "../../domain/complexity/classes.ts";
import type { AwaitedApproval } from "../../domain/run/approval-fact.ts";
import { boundedList, firstFew, plainText } from "../../domain/values/text.ts";
import type { Change, ChangedPath, Repo } from "../../ports/vcs.ts";
import type { Built, StepFailed } from "./step.ts";

const FATES: Readonly<Record<Exclude<BoundFate, "untouched">, string>> = {
  lost: `${BOUND_FILE} is lost: the base has it, and the change takes it away`,
  changed: `${BOUND_FILE} is changed: its rules are a person's`,
  added: `${BOUND_FILE} is new: the base has none, and its rules are a person's`,
};

/**
 * Refuses a change of the rules themselves, and one of zones that are read-only, whatever the finish line is. Undefined if it may be
 * checked. The rules are those of the base when the run began.
 */
export function boundGate(
  change: Pick<Change, "paths">,
  { bound, isReadOnly }: { readonly bound: Bound | undefined; readonly isReadOnly: boolean },
): StepFailed | undefined {
  const fate = boundFate(change.paths);
  if (fate !== "untouched")
    return refuse(FATES[fate], "Leave the file as it is on the base. What the ticket needs has to do without.");
  if (!isReadOnly) return undefined;
  const [first, ...others] = touchedZones(change.paths, bound?.zones ?? []);
  if (first === undefined) return undefined;
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  return refuse(`read-only zone touched: ${plainText(first.zone.path, 200)}${more}`, listZones([first, ...others]));
}

/** Why a candidate may need a person. */
interface ApprovalGrounds {
  readonly bound: Bound | undefined;
  readonly gatedClass: ComplexityRuling | undefined;
  readonly judges: readonly string[];
  /** What those files do to the checks. */
  readonly reasons: readonly string[];
  /** The submodules that it moves, in words: no check and no rule looks at every file that comes with them. */
  readonly moved: readonly string[];
}

/**
 * What a person has to approve before a candidate lands; undefined if it touches no zone, is of no class that needs a person, moves
 * no submodule, and changes none of `judges`: files by which it is judged.
 */
export async function approvalNeededFor(
  repo: Pick<Repo, "change" | "tree">,
  { base, commit }: Built,
  { bound, gatedClass, judges, reasons, moved }: ApprovalGrounds,
): Promise<AwaitedApproval | undefined> {
  const zones = bound?.zones ?? [];
  const isForAll = gatedClass !== undefined || judges.length + moved.length > 0;
  if (zones.length === 0 && !isForAll) return undefined;
  const { paths } = await repo.change({ from: base, tip: commit });
  const touched = touchedZones(paths, zones);
  if (touched.length === 0 && !isForAll) return undefined;
  const [before, after] = await Promise.all([blobIds(repo, base), blobIds(repo, commit)]);
  const change = changeDigest(paths.map((one) => ({ ...one, before: before.get(one.path), after: after.get(one.path) })));
  const named = [...touched.map(({ zone }) => zone.path), ...judges, ...moved];
  const files = new Set([...touched.flatMap((zone) => zone.paths.map(({ path }) => path)), ...judges, ...moved]).size;
  const why = [
    ...touched.map(({ zone: { path, why, origin } }) => {
      return `it changes the danger zone ${why === undefined ? path : `${path}: ${why}`} (${describeOrigin(origin)})`;
    }),
    ...(judges.length === 0 ? [] : reasons.map((each) => `it changes what judges it: ${each}`)),
    ...moved.map((each) => `it moves ${each}`),
    ...(gatedClass ? [`it is ${gatedClass.class}, a class that waits for a person in this batch: ${gatedClass.why}`] : []),
  ];
  return {
    ...{ commit, base, change },
    zones: firstFew(named, 20).map((path) => plainText(path, 200)),
    files: named.length === 0 ? paths.length : files,
    complexity: gatedClass?.class,
    why: firstFew(why, 20).map((each) => plainText(each, 500)),
  };
}

async function blobIds(repo: Pick<Repo, "tree">, commit: string): Promise<ReadonlyMap<string, string>> {
  return new Map((await repo.tree(commit)).files.map(({ path, id }) => [path, id]));
}

function listZones(touched: readonly TouchedZone[]): string {
  return boundedList(
    touched.flatMap(({ zone, paths }) => [
      `${plainText(zone.path, 200)} (${describeOrigin(zone.origin)})`,
      ...paths.map((one) => `  ${shown(one)}`),
    ]),
  );
}

function shown({ path, how }: ChangedPath): string {
  return `${plainText(path, 200)} (${how})`;
}

function refuse(summary: string, detail: string): StepFailed {
  return { ok: false, evidence: { step: "gates", name: "bound", summary, detail, cause: "blocked-path" } };
}
