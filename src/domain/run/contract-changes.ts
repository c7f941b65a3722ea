import type { Batch } from "../batch/schema.ts";
import type { Contract } from "../batch/step-spec.ts";
import type { TicketId } from "../values/ids.ts";
import type { RunState } from "./state.ts";

/** A changed contract, as a change of the batch: I2 if it only tightens, else I8. */
interface ContractChange {
  readonly what: string;
  readonly class: "I2" | "I8";
  readonly target: "finish";
}

/**
 * The contracts that differ from those that their run froze (`part`), and what differs beside criteria: those are changes of finish
 * lines (`compareBatch`).
 * Only added bounds and enforced rules count as tighter: nobody can tell whether another text asks for less.
 */
export function contractChanges(
  { plan }: RunState,
  now: Batch,
): { readonly changes: readonly ContractChange[]; readonly part?: Readonly<Record<TicketId, Contract | null>> } {
  const next = new Map(now.tickets.map(({ id, contract }) => [id, contract]));
  const changed = plan.tickets.flatMap(({ id, contract: before }) => {
    if (!next.has(id)) return [];
    const after = next.get(id);
    return isSame(before, after) ? [] : [{ id, before, after }];
  });
  if (changed.length === 0) return { changes: [] };
  return {
    changes: changed.flatMap(({ id, before, after }) => {
      if (isSame(contractContent(before), contractContent(after))) return [];
      const isTight = isTighter(before, after);
      const how = before === undefined ? "is new" : after === undefined ? "is gone" : isTight ? "is tighter" : "says otherwise";
      return [{ what: `contract of ${id}: it ${how}`, class: isTight ? "I2" : "I8", target: "finish" }];
    }),
    part: Object.fromEntries(changed.map(({ id, after }) => [id, after ?? null])),
  };
}

/** The content of a contract without its criteria. Its place and its layout say nothing. */
function contractContent(contract: Contract | undefined): unknown {
  if (contract === undefined) return undefined;
  const { body, stopWhen = {}, safety = {}, phases = [] } = contract;
  return { body, stopWhen, safety, phases };
}

function isTighter(before: Contract | undefined, after: Contract | undefined): boolean {
  if (before === undefined) return true;
  if (after === undefined || before.body !== after.body || !isSame(before.phases, after.phases)) return false;
  const [was, is] = [before.safety ?? {}, after.safety ?? {}];
  return (
    isSame(was.rules, is.rules) &&
    holdsAll(is.protect ?? [], was.protect ?? []) &&
    (was.only === undefined || (is.only !== undefined && holdsAll(was.only, is.only))) &&
    isAtMost(is.files, was.files) &&
    (["attempts", "minutes", "usd", "sameFailure"] as const).every((key) =>
      isAtMost(after.stopWhen?.[key], before.stopWhen?.[key]),
    )
  );
}

function holdsAll(list: readonly string[], all: readonly string[]): boolean {
  return all.every((each) => list.includes(each));
}

/** True for a bound that is at least as tight; an absent one is none. */
function isAtMost(now: number | undefined, before: number | undefined): boolean {
  return before === undefined || (now !== undefined && now <= before);
}

/** The same to a journal, which keeps values as JSON. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
