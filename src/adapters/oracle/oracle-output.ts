import { z } from "zod";
import type { Judgement } from "../../domain/run/event.ts";
import type { TicketEvidence } from "../../domain/run/oracle-evidence.ts";
import { TicketId } from "../../domain/values/ids.ts";

const Evidence = z.discriminatedUnion("state", [
  z.strictObject({ id: TicketId, state: z.literal("done") }),
  z.strictObject({ id: TicketId, state: z.literal("open") }),
  z.strictObject({ id: TicketId, state: z.literal("human-gated"), step: z.string().trim().min(1) }),
]);
const count = z.number().int().nonnegative();
const Summary = z.strictObject({ verdict: z.enum(["done", "not-done"]), done: count, gated: count, open: count });

/** The number of open tickets that a judgement names. */
const MAX_OPEN = 50;

/** `evidence`: its line for each ticket of the batch, if it gave any that supports the verdict. */
export type OracleReading = Omit<Judgement, "durationMs"> & { readonly evidence?: readonly TicketEvidence[] };

/**
 * Reads the output of an oracle that exited by itself. An exit code counts only with evidence that supports it: one line for
 * exactly each ticket of the batch, and a last line whose verdict and counts follow from them. Anything else is unjudged.
 */
export function readOracleOutput({
  exitCode,
  stderr,
  stdout,
  tickets,
}: {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly tickets: readonly TicketId[];
}): OracleReading {
  if (exitCode === 2) return unjudged(plainLine(stderr) || "the oracle cannot judge and did not say why");
  if (exitCode !== 0 && exitCode !== 1) {
    return unjudged(`the oracle ended with exit code ${exitCode}, which means nothing: ${plainLine(stderr)}`);
  }
  const values = parseLines(stdout);
  const summary = Summary.safeParse(values?.at(-1));
  if (values === undefined || !summary.success) return unjudged("the oracle's output is not evidence and a verdict");
  const evidence = z.array(Evidence).safeParse(values.slice(0, -1));
  if (!evidence.success) return unjudged("the oracle's evidence is malformed");
  return weigh(exitCode, tickets, evidence.data, summary.data);
}

/**
 * Reads the output of a user's own oracle: only its exit code is required. Evidence is optional, but if the last line looks like
 * a verdict, all evidence must support the exit code.
 */
export function readCommandOutput(options: Parameters<typeof readOracleOutput>[0]): OracleReading {
  const { exitCode, stdout, tickets } = options;
  if (stdout.includes('"verdict"') || (exitCode !== 0 && exitCode !== 1)) return readOracleOutput(options);
  if (tickets.length === 0) return unjudged("the batch is empty: there is nothing that could be done");
  const [done, open] = exitCode === 0 ? [tickets.length, 0] : [0, tickets.length];
  return { verdict: exitCode === 0 ? "done" : "not-done", counts: { done, gated: 0, open }, open: [] };
}

export function unjudged(problem: string): OracleReading {
  return { verdict: "unjudged", counts: { done: 0, gated: 0, open: 0 }, open: [], problem };
}

function weigh(
  exitCode: 0 | 1,
  tickets: readonly TicketId[],
  evidence: readonly z.infer<typeof Evidence>[],
  said: z.infer<typeof Summary>,
): OracleReading {
  if (tickets.length === 0) return unjudged("the batch is empty: there is nothing that could be done");
  const same = evidence.length === tickets.length && tickets.every((id, at) => evidence[at]?.id === id);
  if (!same) return unjudged("the oracle's evidence is not about exactly the tickets of the batch");
  const open = evidence.filter((e) => e.state === "open").map((e) => e.id);
  const gated = evidence.filter((e) => e.state === "human-gated").length;
  const counts = { done: evidence.length - gated - open.length, gated, open: open.length };
  if (said.done !== counts.done || said.gated !== gated || said.open !== open.length) {
    return unjudged("the oracle's counts do not follow from its evidence");
  }
  const verdict = open.length === 0 ? "done" : "not-done";
  const exits = verdict === "done" ? 0 : 1;
  if (said.verdict !== verdict || exitCode !== exits)
    return unjudged("the oracle's exit code and verdict do not follow from its evidence");
  return { verdict, counts, open: open.slice(0, MAX_OPEN), evidence };
}

/** Undefined if a line is not JSON or the last one is cut off. */
function parseLines(text: string): readonly unknown[] | undefined {
  if (!text.endsWith("\n")) return undefined;
  try {
    return text
      .slice(0, -1)
      .split("\n")
      .map((line) => JSON.parse(line) as unknown);
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}

/** Text of unknown origin as one line for people, at most 1,000 characters. */
export function plainLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
  const plain = text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]+/g, " ");
  return plain
    .trim()
    .replace(/^cannot judge: /, "")
    .slice(0, 1_000);
}
