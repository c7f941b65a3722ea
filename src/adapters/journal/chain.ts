import { hash } from "node:crypto";
import type { RunEvent, RunFact } from "../../domain/run/event.ts";
import { JournalBroken, type JournalRow, type Tip } from "../../ports/run-store.ts";

/** The tip that the first row of a run follows. */
export function origin(run: string): Tip {
  return { seq: 0, hash: hash("sha256", run) };
}

/** The row of `data` after `tip`. No field before `data` can contain a "|", so the hashed text has only one reading. */
export function linkAfter(tip: Tip, run: string, options: { at: number; fact: RunFact; data: string }): JournalRow {
  const seq = tip.seq + 1;
  const ticket = "ticket" in options.fact ? options.fact.ticket : null;
  return {
    seq,
    at: options.at,
    type: options.fact.type,
    ticket,
    data: options.data,
    prev: tip.hash,
    hash: link(tip.hash, run, seq, options.at, options.data),
  };
}

/** The event of a row that must follow `tip`. Throws JournalBroken, naming the row, if it does not. */
export function checkRow(tip: Tip, run: string, row: JournalRow): RunEvent {
  const place = tip.seq + 1;
  const broken = (why: string) => new JournalBroken(`journal of run ${run}, row ${place}: ${why}`);
  if (row.seq !== place) throw broken(`it is missing (the next one is row ${row.seq})`);
  if (row.prev !== tip.hash) throw broken("it does not follow the row before it");
  if (row.hash !== link(tip.hash, run, row.seq, row.at, row.data)) throw broken("it was changed after it was written");
  const fact = parseFact(row.data);
  if (fact === undefined) throw broken("it holds no fact");
  const ticket = "ticket" in fact ? fact.ticket : null;
  if (fact.type !== row.type || ticket !== row.ticket) throw broken("its columns contradict its data");
  return { ...fact, seq: row.seq, at: row.at };
}

/** The events of a chain of rows as far as it holds, its end there, and the reason why it does not go on. */
export interface Chain {
  readonly events: readonly RunEvent[];
  readonly tip: Tip;
  readonly problem?: string;
}

/** Follows rows from the first one on. `rows` may throw JournalBroken. */
export function followChain(run: string, rows: Iterable<JournalRow>): Chain {
  const events: RunEvent[] = [];
  let tip = origin(run);
  try {
    for (const row of rows) {
      events.push(checkRow(tip, run, row));
      tip = { seq: row.seq, hash: row.hash };
    }
  } catch (error) {
    if (error instanceof JournalBroken) return { events, tip, problem: error.message };
    throw error;
  }
  return { events, tip };
}

/** A fact as a reader of its stored text will see it, or undefined if the text holds none. */
export function parseFact(data: string): RunFact | undefined {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  return isFact(value) ? value : undefined;
}

/** Checks the shape only: the hash has shown that this program wrote the text. */
function isFact(value: unknown): value is RunFact {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

function link(prev: string, run: string, seq: number, at: number, data: string): string {
  return hash("sha256", `${prev}|${run}|${seq}|${at}|${data}`);
}
