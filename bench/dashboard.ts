import { type Scratch, scratchFolder } from "./children.ts";
import { attachTimes } from "./dashboard/attach.ts";
import { bundleProgram, type Harnessed, runHarness } from "./dashboard/harness.ts";
import { LARGE, type LoadCosts, loadOfDashboard, loadOfPlain } from "./dashboard/load.ts";
import { countChanges, type FrameBytes, type Size } from "./dashboard/screen.ts";
import { engineSlowdown } from "./dashboard/slowdown.ts";
import { type Bench, type BenchOptions, type Figure, noteFigure, valueFigure } from "./figure.ts";
import { median, quantile } from "./stats.ts";

const ITEM = "dashboard";
const USUAL: Size = { cols: 120, rows: 30 };
/** Eight hours of agents that never pause: two updates a second. */
const EIGHT_HOURS = 8 * 3_600 * 2;

/** The cost of watching 64 agents that print 20 lines a second each. */
export const dashboard: Bench = {
  name: ITEM,
  about:
    "64 agents, 20 lines a second each: CPU, frames, keys, bytes, memory and first frame of the dashboard; a plain Ink program",
  async run(options): Promise<readonly Figure[]> {
    await using scratch = await scratchFolder(ITEM);
    const step = async <T>(what: string, run: () => Promise<T>): Promise<T> => {
      options.log(what);
      return run();
    };
    const mine = await step("the dashboard under load", () => loadOfDashboard(scratch, options));
    const plain = await step("a plain Ink program under the same load", () => loadOfPlain(scratch, options));
    const frames = await step("frames", () => frameFigures(scratch, options));
    const memory = await step("eight hours", () => memoryFigures(scratch, options));
    const attach = await step("attaching to 200,000 events", () => attachFigures(scratch, options));
    const slow = await step("the engine beside a dashboard", () => slowdownFigures(scratch, options));
    return [...loadFigures(mine, plain), ...frames, ...memory, ...attach, ...slow];
  },
};

function loadFigures(mine: LoadCosts, plain: LoadCosts): readonly Figure[] {
  const note = `${LARGE.cols} × ${LARGE.rows}`;
  const common = { item: ITEM, note };
  const beside = (value: number) => ({ floor: { what: "plain Ink", value } });
  const perCell = ({ changes }: LoadCosts) => changes.bytes / changes.cells;
  return [
    valueFigure({
      ...common,
      what: "CPU, more than idle",
      value: mine.busy - mine.idle,
      unit: "%",
      ...beside(plain.busy - plain.idle),
      max: 15,
    }),
    noteFigure({ ...common, what: "CPU, agents silent", value: mine.idle, unit: "%", ...beside(plain.idle) }),
    valueFigure({ ...common, what: "key to paint, p99", value: mine.keyMs, unit: "ms", ...beside(plain.keyMs), max: 50 }),
    valueFigure({
      ...common,
      what: "bytes per changed cell",
      value: perCell(mine),
      unit: "bytes",
      ...beside(perCell(plain)),
      max: 2,
    }),
    noteFigure({ ...common, what: "bytes a second", value: mine.bytesPerSecond, unit: "bytes", ...beside(plain.bytesPerSecond) }),
  ];
}

async function frameFigures(scratch: Scratch, options: BenchOptions): Promise<readonly Figure[]> {
  const program = await bundleProgram(scratch, "harness.tsx");
  const figures: Figure[] = [];
  for (const size of [USUAL, LARGE]) {
    const of = await runHarness(scratch, program, { measure: "frames", updates: options.quick ? 60 : 400, ...size });
    const changes = await countChanges({ ...of, size });
    figures.push(...figuresOf(of, changes, `${size.cols} × ${size.rows}`));
  }
  return figures;
}

/** The compiler has not seen the first frames yet. CPU time is reported too, because other programs do not affect it. */
function figuresOf({ ms, cpuMs }: Harnessed, { bytes, cells, frames }: FrameBytes, size: string): readonly Figure[] {
  const [wall, cpu] = [ms, cpuMs].map((times) => times.slice(Math.floor(times.length / 4)));
  if (wall === undefined || cpu === undefined) return [];
  const common = { item: ITEM, unit: "ms" } as const;
  const spread = (times: readonly number[]) => `${size}, median ${median(times).toFixed(1)} ms`;
  const note = `${size}, ${Math.round(cells / frames)} cells a frame`;
  return [
    valueFigure({
      ...common,
      what: "update to last byte of its frame, p95",
      value: quantile(wall, 0.95),
      max: 16,
      note: spread(wall),
    }),
    noteFigure({ ...common, what: "the same in CPU time, p95", value: quantile(cpu, 0.95), note: spread(cpu) }),
    noteFigure({ ...common, what: "frames alone: bytes per changed cell", value: bytes / cells, unit: "bytes", note }),
  ];
}

async function memoryFigures(scratch: Scratch, options: BenchOptions): Promise<readonly Figure[]> {
  const program = await bundleProgram(scratch, "harness.tsx");
  const updates = options.quick ? EIGHT_HOURS / 40 : EIGHT_HOURS;
  const of = await runHarness(scratch, program, { measure: "memory", updates, ...USUAL });
  const note = options.quick ? "12 minutes" : "from 10 % to the end";
  return [
    valueFigure({
      item: ITEM,
      what: "eight hours: growth of resident memory",
      value: of.endMb - of.startMb,
      unit: "MB",
      max: 20,
      note,
    }),
    noteFigure({ item: ITEM, what: "eight hours: growth of the heap", value: of.endHeapMb - of.startHeapMb, unit: "MB", note }),
  ];
}

async function attachFigures(scratch: Scratch, options: BenchOptions): Promise<readonly Figure[]> {
  const rounds = options.quick ? 1 : 5;
  const { live, ended, unkept } = await attachTimes(scratch, rounds);
  const common = { item: ITEM, unit: "ms", max: 500, note: `200,000 events, medians of ${rounds}` } as const;
  return [
    valueFigure({ ...common, what: "attach to a run at work, first frame", value: live }),
    valueFigure({ ...common, what: "attach to an ended run, first frame", value: ended }),
    noteFigure({
      item: ITEM,
      unit: "ms",
      what: "attach to an ended run whose state was never kept, all of it",
      value: unkept,
      note: "its journal is read whole, and how far that is, is shown",
    }),
  ];
}

async function slowdownFigures(scratch: Scratch, options: BenchOptions): Promise<readonly Figure[]> {
  const { alone, watched } = await engineSlowdown(
    scratch,
    options.quick ? { seconds: 3, rounds: 1 } : { seconds: 10, rounds: 3 },
  );
  return [
    valueFigure({
      item: ITEM,
      what: "engine, share of a core that one more dashboard takes",
      value: watched - alone,
      unit: "%",
      max: 2,
    }),
    noteFigure({ item: ITEM, what: "engine with 64 agents, share of a core", value: alone, unit: "%" }),
  ];
}
