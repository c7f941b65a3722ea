import { scratchFolder } from "./children.ts";
import { type Bench, type Figure, noteFigure, valueFigure } from "./figure.ts";
import { runSuiteBatch, type SuiteOutcome } from "./suite/batch.ts";
import { type FloorOutcome, type FloorRequest, measureSuite, runSerialQueue, runSideBySide } from "./suite/floors.ts";

/** The working time of each agent, in seconds or in suites. */
type Agents = { readonly seconds: readonly number[] } | { readonly suites: readonly number[] };

/** Six tickets with a module each, in one repository. */
interface Scenario {
  readonly name: string;
  /** Labels the figures. */
  readonly what: string;
  readonly workers: number;
  readonly agents: Agents;
  readonly addsTests?: boolean;
  readonly faulty?: number;
  readonly max: { readonly runs: number; readonly suites?: number };
}

const HALF_A_SECOND = { seconds: [0.5, 0.5, 0.5, 0.5, 0.5, 0.5] };
const ONE_APART = { suites: [1, 2, 3, 4, 5, 6] };

/** The bounds are what a queue needs that checks its candidates in trains, and proves the end of the run once. */
const SCENARIOS: readonly Scenario[] = [
  {
    name: "sources",
    what: "changes of sources",
    workers: 3,
    agents: HALF_A_SECOND,
    max: { runs: 9, suites: 4 },
  },
  {
    name: "tests",
    what: "each change adds a test",
    workers: 3,
    agents: HALF_A_SECOND,
    addsTests: true,
    max: { runs: 10, suites: 4.5 },
  },
  {
    // With fewer workers than tickets, the later agents would start when a slot is free, and not stop one suite apart.
    name: "apart",
    what: "agents that stop one suite apart",
    workers: 6,
    agents: ONE_APART,
    max: { runs: 10, suites: 8 },
  },
  {
    name: "faulty",
    what: "one faulty change of six ready ones",
    workers: 6,
    agents: HALF_A_SECOND,
    faulty: 2,
    max: { runs: 12 },
  },
];

/** The same tickets by code that trusts every change, for one way in which the agents stop. */
interface Floors {
  readonly serial: FloorOutcome;
  readonly beside: FloorOutcome;
}

/** The number of suites that a batch of six tickets costs, and its length in suites, against two ways that trust every change. */
export const suite: Bench = {
  name: "suite",
  about: "six tickets, sandboxed: runs of their suite and length in suites, against a serial queue and one run per ticket",
  async run(options): Promise<readonly Figure[]> {
    await using scratch = await scratchFolder("suite");
    const suiteSeconds = options.quick ? 2 : 8;
    const suiteMs = await measureSuite(scratch.path, suiteSeconds);
    options.log(`the suite alone takes ${(suiteMs / 1_000).toFixed(2)} s`);
    // Floors wait more than they work, so all run beside each other; loopdash runs alone.
    const [together, apart] = await Promise.all([
      measureFloors(scratch.path, { name: "together", plan: { seconds: HALF_A_SECOND.seconds }, workers: 3, suiteSeconds }),
      measureFloors(scratch.path, {
        name: "apart",
        plan: { seconds: inSeconds(ONE_APART, suiteSeconds) },
        workers: 6,
        suiteSeconds,
      }),
    ]);
    const figures: Figure[] = [];
    for (const scenario of SCENARIOS) {
      const { agents, name, what, workers, ...rest } = scenario;
      const plan = { ...rest, seconds: inSeconds(agents, suiteSeconds) };
      const mine = await runSuiteBatch(scratch.path, { name, plan, workers, suiteSeconds });
      options.log(`${what}: ${mine.runs} runs in ${(mine.ms / suiteMs).toFixed(1)} suites`);
      figures.push(...toFigures({ scenario, suiteMs, mine, ...(agents === ONE_APART ? apart : together) }));
    }
    return figures;
  },
};

function inSeconds(agents: Agents, suiteSeconds: number): readonly number[] {
  return "seconds" in agents ? agents.seconds : agents.suites.map((suites) => suites * suiteSeconds);
}

async function measureFloors(scratch: string, request: FloorRequest): Promise<Floors> {
  const [serial, beside] = await Promise.all([
    runSerialQueue(scratch, { ...request, name: `${request.name}-serial` }),
    runSideBySide(scratch, { ...request, name: `${request.name}-beside` }),
  ]);
  const tickets = request.plan.seconds.length;
  for (const [kind, { runs }] of Object.entries({ serial, beside })) {
    if (runs !== tickets) throw new Error(`the floor ${request.name}-${kind} ran the suite ${runs} times, not ${tickets}`);
  }
  return { serial, beside };
}

interface Outcomes extends Floors {
  readonly scenario: Scenario;
  readonly suiteMs: number;
  readonly mine: SuiteOutcome;
}

function toFigures({ beside, mine, scenario, serial, suiteMs }: Outcomes): readonly Figure[] {
  const { max, what, workers } = scenario;
  const inSuites = (ms: number) => ms / suiteMs;
  const common = { item: "suite", note: `${workers} workers, a suite of ${(suiteMs / 1_000).toFixed(1)} s` };
  const length = { ...common, what: `${what}: length`, value: inSuites(mine.ms), unit: "suites" } as const;
  const queue = { what: "a plain serial queue", value: inSuites(serial.ms) };
  const each = { what: "one run per ticket, beside each other", value: inSuites(beside.ms) };
  return [
    valueFigure({
      ...{ ...common, what: `${what}: runs`, value: mine.runs, unit: "runs" },
      floor: { what: "both floors", value: serial.runs },
      max: max.runs,
    }),
    max.suites === undefined
      ? noteFigure({ ...length, floor: queue })
      : valueFigure({ ...length, floor: queue, max: max.suites }),
    noteFigure({ ...length, floor: each }),
    noteFigure({ ...length, what: `${what}: longest silence`, value: inSuites(mine.silenceMs) }),
  ];
}
