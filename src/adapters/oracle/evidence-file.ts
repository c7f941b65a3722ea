import { realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { parseJson } from "@loopdash/values";
import { z } from "zod";
import type { OracleEvidence } from "../../domain/run/oracle-evidence.ts";
import { TicketId } from "../../domain/values/ids.ts";
import type { FrozenProgram, OracleBatch } from "../../ports/oracle.ts";
import { systemCode } from "../disk-error.ts";
import { readPlainFile } from "../plain-file.ts";

const NAME = "evidence.json";
/** The number of tickets whose evidence is kept; the others are counted. */
const MOST_TICKETS = 2_000;
/** A file with that many tickets and the longest steps is smaller. Bytes. */
const MOST_BYTES = 8 * 1024 * 1024;

const time = z.number().int().nonnegative();
const Kept = z.strictObject({
  version: z.literal(1),
  askedAt: time,
  judgedAt: time,
  more: z.number().int().nonnegative(),
  tickets: z
    .array(z.strictObject({ id: TicketId, state: z.enum(["done", "human-gated", "open"]), step: z.string().optional() }))
    .max(MOST_TICKETS),
});

/**
 * Wraps a program so that it keeps the evidence of its last judgement of the real tracker in the run's folder. The file is for
 * people: it is written after the judgement, only a view reads it, and a failed write does not change the judgement.
 */
export function keepsEvidence(
  program: FrozenProgram,
  { tracker, folder }: { readonly folder: string; readonly tracker: OracleBatch["tracker"] },
): FrozenProgram {
  return {
    sha: program.sha,
    async judge(batch, signal, how) {
      const askedAt = Date.now();
      const judging = await program.judge(batch, signal, how);
      // Copies of the tracker are judged by the same program.
      if (isReal(batch.tracker, tracker) && judging.evidence !== undefined) {
        const { evidence } = judging;
        const more = Math.max(0, evidence.length - MOST_TICKETS);
        write(folder, { askedAt, judgedAt: Date.now(), more, tickets: evidence.slice(0, MOST_TICKETS) });
      }
      return judging;
    },
  };
}

/** A service gets the keys of new tickets now and then; a copy of one has a file. */
function isReal(judged: OracleBatch["tracker"], real: OracleBatch["tracker"]): boolean {
  return judged === real || ("keys" in judged && judged.file === undefined);
}

function write(folder: string, evidence: OracleEvidence): void {
  try {
    const file = join(realpathSync(folder), NAME);
    const beside = `${file}.new`;
    rmSync(beside, { force: true });
    writeFileSync(beside, `${JSON.stringify({ version: 1, ...evidence })}\n`, { flag: "wx", mode: 0o600 });
    renameSync(beside, file);
  } catch (error) {
    process.emitWarning(`the oracle's evidence could not be kept to be shown: ${String(error)}`);
  }
}

/** The evidence in a run's folder. Undefined, hence unknown, if there is none or its form is wrong. */
export async function readEvidence(folder: string): Promise<OracleEvidence | undefined> {
  const real = await realpath(folder).catch(isGone);
  const found = real === undefined ? undefined : await readPlainFile(real, NAME, MOST_BYTES);
  if (found?.ok !== true) return undefined;
  const kept = Kept.safeParse(parseJson(found.text));
  if (!kept.success) return undefined;
  const { version: _, tickets, ...rest } = kept.data;
  return { ...rest, tickets: tickets.map(({ step, ...ticket }) => (step === undefined ? ticket : { ...ticket, step })) };
}

function isGone(error: unknown): undefined {
  if (systemCode(error) === undefined) throw error;
}
