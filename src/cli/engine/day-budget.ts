import { listPrograms } from "../../domain/batch/party.ts";
import type { Batch } from "../../domain/batch/schema.ts";
import type { RunId } from "../../domain/values/ids.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import type { DayBudget } from "../../ports/day-budget.ts";
import type { RunStore } from "../../ports/run-store.ts";
import type { SessionLogs } from "../../ports/session-logs.ts";
import { pricesIn } from "./agent-of.ts";

/** The start of the calendar day in this machine's time zone, in milliseconds. */
export function startOfDay(now: number): number {
  return new Date(now).setHours(0, 0, 0, 0);
}

/** Validity of a reading of other sessions, in milliseconds. */
const FRESH_MS = 60_000;

/** Today's cost of other sessions of the batch's programs, at the last reading. */
export interface OtherSessions {
  /** Dollars. */
  readonly usd: number;
  /** Reads again, at most once a minute, and on each new day. Returns the reason if the cost is unknown. */
  look(): Promise<string | undefined>;
}

/**
 * Today's cost of other sessions of a batch's programs; undefined unless `limits.countOtherSessions` is set. Throws a UserError
 * (exit 4) if the cost is unknown: then nothing may start (law 4).
 */
export async function otherSessionsOf(batch: Batch, env: NodeJS.ProcessEnv): Promise<OtherSessions | undefined> {
  if (!batch.limits.countOtherSessions) return undefined;
  const others = watchSessions(await logsOf(batch, env), Date.now);
  const why = await others.look();
  if (why === undefined) return others;
  throw new UserError({
    what: "what other sessions have cost today is not known",
    why,
    todo: "Fix or remove what is named there, or set limits.countOtherSessions to false.",
    exitCode: EXIT.refused,
  });
}

/** The logs of the agent's and of the reviewers' programs, each once, at the prices of the batch and the list. */
async function logsOf(batch: Batch, env: NodeJS.ProcessEnv): Promise<readonly SessionLogs[]> {
  const [{ Prices }, { createSessionLogs }, { loadPrograms }] = await Promise.all([
    import("@loopdash/model-gateway/server"),
    import("../../adapters/session-logs/session-logs.ts"),
    import("../../adapters/agent/registry.ts"),
  ]);
  const specs = listPrograms(batch).map(({ spec }) => spec);
  return (await loadPrograms()).flatMap(({ kind, sessions, prices }) => {
    const named = specs.filter((spec) => spec.kind === kind);
    if (named.length === 0 || sessions === undefined) return [];
    const known = new Prices([...named.flatMap((spec) => pricesIn(spec)), ...prices]);
    return [createSessionLogs({ ...sessions(env), cost: (model, tokens) => known.cost(model, tokens) })];
  });
}

/** Caches the result of the logs, and reads them again after it expires. A caller during a reading waits for that reading. */
export function watchSessions(logs: readonly SessionLogs[], now: () => number): OtherSessions {
  let last = { at: Number.NEGATIVE_INFINITY, since: Number.NaN, usd: 0, why: undefined as string | undefined };
  let reading: Promise<void> | undefined;
  const read = async (): Promise<void> => {
    const at = now();
    const since = startOfDay(at);
    const spent = await Promise.all(logs.map((each) => each.spentSince(since)));
    const usd = spent.reduce((sum, each) => sum + (each.ok ? each.usd : 0), 0);
    last = { at, since, usd, why: spent.find((each) => !each.ok)?.why };
  };
  return {
    get usd() {
      return last.usd;
    },
    async look() {
      const at = now();
      if (reading === undefined && (at - last.at >= FRESH_MS || startOfDay(at) !== last.since)) {
        reading = read().finally(() => {
          reading = undefined;
        });
      }
      await reading;
      return last.why;
    },
  };
}

/** The day's costs from the costs table, which all engines of one LOOPDASH_HOME share, plus the cost of other sessions. */
export function dayBudgetOf(run: RunId, capUsd: number, store: RunStore, others?: OtherSessions): DayBudget {
  return {
    look: others && (() => others.look()),
    take(fence, usd, question) {
      const at = Date.now();
      const since = startOfDay(at);
      const othersUsd = others?.usd ?? 0;
      if (usd === 0 || store.reserveCost({ run, fence, question, at, usd, since, capUsd: capUsd - othersUsd }))
        return { ok: true };
      return { ok: false, othersUsd: store.spentSince(since, run) + othersUsd };
    },
    settle: (fence, usd, question) => store.settleCost(run, fence, usd, question),
  };
}
