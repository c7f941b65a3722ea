import type { BoundSpec } from "../batch/bound-spec.ts";
import type { Batch } from "../batch/schema.ts";
import { type Bound, type Bounds, type IronLaw, isUnbound, joinBounds, lawName, NO_RULES } from "./bound.ts";
import { lineWithLaws } from "./law-steps.ts";

/** The rules of a batch file. */
function boundOfSpec({ dangerZones, neverDo, ironLaws }: BoundSpec): Bound {
  const origin = { file: "batch" } as const;
  return {
    zones: dangerZones.map((zone) => ({ ...(typeof zone === "string" ? { path: zone } : zone), origin })),
    neverDo: neverDo.map((text) => ({ text, origin })),
    ironLaws: ironLaws.map((law, i): IronLaw => {
      const name = lawName(i);
      if (typeof law === "string") return { name, text: law, origin };
      return { name, text: law.why ?? law.command.join(" "), command: law.command, origin };
    }),
  };
}

/**
 * The batch with the rules of its repositories, frozen: those at their bases and those of the batch file. Each law with a command becomes
 * a check of the candidate and a verification of what landed, in the finish line of every ticket. `atBases` are the rules at the bases.
 */
export function withBounds(batch: Batch, atBases: Bounds): Batch {
  const own = batch.bound === undefined ? NO_RULES : boundOfSpec(batch.bound);
  const bounds = Object.fromEntries(
    Object.keys(batch.repos).flatMap((repo) => {
      const bound = joinBounds(atBases[repo] ?? NO_RULES, own);
      return isUnbound(bound) ? [] : [[repo, bound] as const];
    }),
  );
  if (Object.keys(bounds).length === 0) return batch;
  return withLaws({ ...batch, bounds });
}

/** The same for rules that a run has frozen already. */
export function withFrozenBounds(batch: Batch, bounds: Bounds | undefined): Batch {
  return bounds === undefined ? batch : withLaws({ ...batch, bounds });
}

function withLaws(batch: Batch): Batch {
  const tickets = batch.tickets.map((ticket) => ({
    ...ticket,
    finish: lineWithLaws(ticket.finish, batch.bounds?.[ticket.repo]),
  }));
  return { ...batch, tickets };
}
