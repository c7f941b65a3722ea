import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { judge } from "../../oracle/definition.ts";
import { readService } from "../../oracle/service-tickets.ts";
import { CannotJudge } from "../../oracle/shape.ts";
import { askService } from "../../src/adapters/oracle/service-line.ts";
import type { Judgement } from "../../src/domain/run/event.ts";
import type { TicketId } from "../../src/domain/values/ids.ts";
import type { ServiceSide } from "./service-side.ts";

/** The oracle's line to a service. */
const LINE = 3;
/** The oracle's pause before it asks a second time, which doubles. Milliseconds. */
const FIRST_PAUSE_MS = 500;

/** The oracle asked for what it has no answer to yet. */
class Unanswered extends Error {
  readonly request: string;

  constructor(request: string) {
    super("the oracle waits for an answer");
    this.request = request;
  }
}

/**
 * The oracle's own code in this process, on the service as it is. In a run it is a process that waits for each answer; here it begins
 * anew with all answers that it got so far until it lacks none. Its pauses take the time of `wait`.
 */
export async function judgeByOracle(
  side: Pick<ServiceSide, "spec" | "access" | "repos">,
  tickets: readonly TicketId[],
  {
    keys,
    wait,
    signal,
  }: {
    readonly keys: ReadonlyMap<TicketId, string>;
    readonly wait: (ms: number) => Promise<void>;
    readonly signal: AbortSignal | undefined;
  },
): Promise<Judgement> {
  const { kind } = side.spec;
  const own = tickets.flatMap((id) => (keys.has(id) ? [[id as string, keys.get(id) ?? ""] as const] : []));
  const repos = new Map(Object.entries(side.repos));
  const place = { kind, canceled: "open", keys: new Map(own), repos, repoIds: new Map<string, string>() } as const;
  const answers: string[] = [];
  let pauseMs = 0;
  for (;;) {
    try {
      const said = judge(
        withLine(answers, () => readService(place, tickets)),
        tickets,
      );
      if (said.verdict === "unjudged") return unjudged(said.problem);
      const open = said.evidence.filter(({ state }) => state === "open").map(({ id }) => id as TicketId);
      return { verdict: said.verdict, counts: { done: said.done, gated: said.gated, open: said.open }, open, durationMs: 1 };
    } catch (error) {
      if (error instanceof CannotJudge) return unjudged(error.message);
      if (!(error instanceof Unanswered)) throw error;
      if (pauseMs > 0) await wait(pauseMs);
      const answer = await askService({ kind, access: side.access }, error.request, signal);
      const isFailure = "problem" in answer || answer.status !== 200;
      pauseMs = isFailure ? Math.max(FIRST_PAUSE_MS, pauseMs * 2) : 0;
      answers.push(`${JSON.stringify(answer)}\n`);
    }
  }
}

function unjudged(problem: string): Judgement {
  return { verdict: "unjudged", counts: { done: 0, gated: 0, open: 0 }, open: [], problem, durationMs: 1 };
}

/** Runs the oracle with these answers on its line. It throws an Unanswered for the first request beyond them. */
function withLine<T>(answers: readonly string[], run: () => T): T {
  const { readSync, writeSync } = fs;
  const { wait } = Atomics;
  const left = answers.map((answer) => Buffer.from(answer));
  let asked = "";
  fs.writeSync = ((fd: number, bytes: Buffer, at?: number) => {
    if (fd !== LINE) return writeSync(fd, bytes, at);
    asked = bytes.toString("utf8").trimEnd();
    return bytes.length - (at ?? 0);
  }) as typeof fs.writeSync;
  fs.readSync = ((fd: number, into: Buffer, ...rest: [number, number, null]) => {
    if (fd !== LINE) return readSync(fd, into, ...rest);
    const [next] = left;
    if (next === undefined) throw new Unanswered(asked);
    const size = next.copy(into, 0);
    left.splice(0, 1, ...(size < next.length ? [next.subarray(size)] : []));
    return size;
  }) as typeof fs.readSync;
  Atomics.wait = (() => "timed-out") as typeof Atomics.wait;
  syncBuiltinESMExports();
  try {
    return run();
  } finally {
    Object.assign(fs, { readSync, writeSync });
    Atomics.wait = wait;
    syncBuiltinESMExports();
  }
}
