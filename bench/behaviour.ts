import { createEventLineReader } from "../src/adapters/agent/registry.ts";
import type { RunFact } from "../src/domain/run/event.ts";
import { Fence, RepoId, TicketId } from "../src/domain/values/ids.ts";
import { watchBehaviour } from "../src/loop/attempt/behaviour.ts";
import { type Bench, type BenchOptions, type Figure, noteFigure, valueFigure } from "./figure.ts";
import { startFact } from "./simulated-facts.ts";
import { median } from "./stats.ts";

const WORKERS = 16;
/** Uses of tools that one worker makes in a second: some ten times what models have been seen to make. */
const PER_SECOND = 10;
/** Bytes of a result: a screenful of a file or of a test's output. */
const RESULT_BYTES = 4_000;
/** Largest allowed share of a core, in percent (issue 17). */
const MOST = 1;

/** The cost of the behaviour signals of busy workers, as a share of a core. */
export const behaviour: Bench = {
  name: "behaviour",
  about: `the signals of ${WORKERS} workers that each use ${PER_SECOND} tools a second`,
  async run(options): Promise<readonly Figure[]> {
    return measure(options);
  },
};

function measure({ quick }: BenchOptions): readonly Figure[] {
  const seconds = quick ? 10 : 120;
  const rounds = Array.from({ length: quick ? 3 : 9 }, () => [share(seconds, true), share(seconds, false)] as const);
  const whole = median(rounds.map(([all]) => all));
  const reading = median(rounds.map(([, read]) => read));
  const what = `${WORKERS} workers, ${PER_SECOND} uses of tools a second each, results of ${RESULT_BYTES} bytes`;
  return [
    valueFigure({ item: "behaviour", what: `${what}: signals and their reports`, value: whole - reading, unit: "%", max: MOST }),
    noteFigure({
      item: "behaviour with reading",
      what: `${what}: reading the lines as well, which is there without signals for vendors' programs`,
      value: whole,
      unit: "%",
      floor: { what: "reading alone", value: reading },
    }),
  ];
}

/** Percent of a core that the lines of some seconds take; without `watched`, they are only read. */
function share(seconds: number, watched: boolean): number {
  const lines = linesOf(seconds * PER_SECOND);
  const workers = Array.from({ length: WORKERS }, () => ({
    read: createEventLineReader(),
    watch: watched ? aWatch() : undefined,
  }));
  const before = process.cpuUsage();
  lines.forEach((line, i) => {
    time = (i / lines.length) * seconds * 1_000;
    for (const { read, watch } of workers) for (const event of read(line) ?? []) watch?.event(event);
  });
  for (const { watch } of workers) watch?.end();
  const { user, system } = process.cpuUsage(before);
  return ((user + system) / 1_000 / (seconds * 1_000)) * 100;
}

/** Simulated milliseconds: all workers share them. */
let time = 0;
let bytes = 0;

function aWatch(): ReturnType<typeof watchBehaviour> {
  const start = startFact(1, 1);
  if (start.type !== "run-started") throw new Error("a run begins with run-started");
  const [ticket] = start.batch.tickets;
  if (ticket === undefined) throw new Error("a batch has a ticket");
  const repos = new Map([[RepoId.parse("main"), { place: "/work/app" } as never]]);
  const report = (fact: RunFact): boolean => {
    bytes += JSON.stringify(fact).length;
    return bytes > 0;
  };
  const clock = { now: () => time, ran: () => time, gaps: () => [], after: () => () => undefined };
  const of = { ticket: { ...ticket, id: TicketId.parse("T-1") }, fence: Fence.parse(1) };
  return watchBehaviour({ batch: start.batch, clock, repos, report }, of, { worktree: "/work/app" });
}

/** Uses of tools as Claude Code prints them: reads, searches, edits and tests that fail now and then. */
function linesOf(uses: number): readonly string[] {
  const result = "a line of the output that it read or printed, with numbers 12 and 7 ms\n".repeat(Math.ceil(RESULT_BYTES / 72));
  return Array.from({ length: uses }, (_, i) => {
    const id = `toolu_${i}`;
    const [name, input] = toolOf(i);
    const content = `${i} ${result}`;
    return [
      JSON.stringify({ type: "assistant", message: { content: [{ type: "tool_use", id, name, input }] } }),
      JSON.stringify({
        type: "user",
        message: { content: [{ type: "tool_result", tool_use_id: id, content, is_error: i % 7 === 0 }] },
      }),
    ];
  }).flat();
}

function toolOf(i: number): readonly [string, object] {
  const file_path = `/work/app/src/module-${i % 97}/index.ts`;
  switch (i % 4) {
    case 0:
      return ["Read", { file_path, offset: i % 11 }];
    case 1:
      return ["Bash", { command: `cd src && rg -n "needle ${i}" module-${i % 97} | head -${i % 40}` }];
    case 2:
      return ["Edit", { file_path, old_string: "a".repeat(400), new_string: "b".repeat(400) }];
    default:
      return ["Bash", { command: `npm test -- --filter module-${i % 97} 2>&1 | tail -40` }];
  }
}
