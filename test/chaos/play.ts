import type { TicketService } from "../../src/adapters/tracker/service/ticket-service.ts";
import type { Batch } from "../../src/domain/batch/schema.ts";
import type { RunEvent } from "../../src/domain/run/event.ts";
import type { TicketId } from "../../src/domain/values/ids.ts";
import type { LoopContext } from "../../src/loop/attempt/context.ts";
import { batchOf, ticketOf } from "../domain/simulate.ts";
import { Random } from "../fuzz/random.ts";
import { agentsOf } from "./agents.ts";
import { ChaosRun } from "./chaos-run.ts";
import { discoveredIn, problemsOf } from "./check.ts";
import { climateOf, type Mishap, Weather } from "./faults.ts";
import { openGitHub } from "./github-side.ts";
import { openLinear } from "./linear-side.ts";
import { Network, startConnectionTimer } from "./network.ts";
import { planOf, type RunPlan } from "./plan.ts";
import { judgeByOracle } from "./real-oracle.ts";
import { RunClock } from "./run-clock.ts";
import type { PersonAct, ServiceName, ServiceSide, SideOptions } from "./service-side.ts";
import { Witness } from "./witness.ts";

/** A run that takes longer does not end, and one that lacks a defence is over. Hours of its clock. */
const [LONGEST_HOURS, BROKEN_HOURS] = [24, 1];
const HOUR_MS = 3_600_000;
/** Minutes of an outage after which a run gives up: a third of the requests fail, and most calls are several requests. */
const OUTAGE_MINUTES = 240;

/** What is broken on purpose. */
export interface Broken {
  /** The adapter, in place of the true one. */
  readonly service?: (service: TicketService) => TicketService;
  /** What a request becomes on its way. */
  readonly outgoing?: (body: string) => string;
  /** What the engine gets in place of its true services. */
  readonly context?: (plain: LoopContext) => Partial<LoopContext>;
  /** What people and agents do. */
  readonly plan?: (plan: RunPlan) => RunPlan;
  /** What a new engine finds of the journal. */
  readonly kept?: (events: readonly RunEvent[]) => readonly RunEvent[];
}

/** A run to play. */
export interface Play {
  readonly service: ServiceName;
  readonly seed: number;
  /** The defence that it lacks. */
  readonly broken?: Broken;
  /** Told of what happens, line by line. */
  readonly log?: (line: string) => void;
}

/** What came of a run. */
export interface Outcome {
  readonly problems: readonly string[];
  readonly requests: number;
  readonly mishaps: number;
  readonly verdict: string;
  /** Minutes of the run's clock. */
  readonly minutes: number;
}

/** Plays one run. All that happens in it follows from the service and the seed. */
export async function play(options: Play): Promise<Outcome> {
  await startConnectionTimer();
  const stage = new Stage(options);
  try {
    return await stage.play();
  } finally {
    await stage.close();
  }
}

class Stage {
  readonly #options: Play;
  readonly #plan: RunPlan;
  readonly #clock = new RunClock();
  readonly #begun = this.#clock.now();
  readonly #weather: Weather;
  readonly #network: Network;
  readonly #acts = new Map<number, PersonAct[]>();
  #side: ServiceSide | undefined;
  #run: ChaosRun | undefined;
  #witness: Witness | undefined;
  #requests = 0;
  #mishaps = 0;
  #killAtRequest: number | undefined;
  /** When the adapter's present call began, and the call during which the last write was sent. */
  #callSince: number | undefined;
  #writingSince: number | undefined;
  #judgedAt = this.#begun;

  constructor(options: Play) {
    this.#options = options;
    const random = (what: string) => new Random(`chaos ${options.service} ${options.seed} ${what}`);
    const plan = planOf(random("plan"));
    this.#plan = options.broken?.plan?.(plan) ?? plan;
    this.#weather = new Weather(climateOf(random("climate")), random("weather"), () => this.#clock.now());
    this.#network = new Network(this.#clock, () => ({
      there: this.#weather.delay(),
      back: this.#weather.delay(),
      outgoing: (address, body) => {
        const broken = options.broken?.outgoing?.(body) ?? body;
        return this.#mySide.outgoing(address, broken);
      },
      incoming: (body) => this.#mySide.incoming(body),
    }));
  }

  get #mySide(): ServiceSide {
    if (this.#side === undefined) throw new Error("the service is not open");
    return this.#side;
  }

  async play(): Promise<Outcome> {
    const sideOptions: SideOptions = {
      clock: this.#clock,
      weather: this.#weather,
      issues: this.#plan.issues,
      wait: (ms) => this.#network.wait(ms),
      onRequest: (request) => this.#request(request),
    };
    this.#side = await (this.#options.service === "linear" ? openLinear : openGitHub)(sideOptions);
    this.#log(`plan: ${JSON.stringify(this.#plan.acts)} kills ${JSON.stringify(this.#plan.kills)}`);
    this.#log(`climate: ${JSON.stringify(this.#weather.climate)}`);
    const run = this.#newRun(this.#side);
    this.#run = run;
    this.#witness = this.#newWitness(this.#side, run);
    this.#schedule(run);
    await run.start();
    const until = this.#begun + (this.#options.broken === undefined ? LONGEST_HOURS : BROKEN_HOURS) * HOUR_MS;
    while (run.state.stage !== "ended" && this.#clock.now() < until) if (!(await run.step())) break;
    this.#witness.look();
    return this.#outcome(run, this.#witness, this.#side);
  }

  async close(): Promise<void> {
    this.#network.cut();
    this.#run?.close();
    this.#network.close();
    await this.#side?.close();
  }

  #newRun(side: ServiceSide): ChaosRun {
    const { broken = {} } = this.#options;
    return new ChaosRun({
      batch: batchFor(side, this.#plan),
      clock: this.#clock,
      network: this.#network,
      open: () => this.#watched(broken.service?.(side.open()) ?? side.open()),
      context: (plain, service) => {
        const oracle = { sha: "o", judge: (signal?: AbortSignal) => this.#judge(service, signal) };
        const own = { ...agentsOf(this.#plan, plain.clock), oracle };
        return { ...own, ...broken.context?.({ ...plain, ...own }) };
      },
      onEvent: (event) => this.#log(lineOf(event)),
      ...(broken.kept && { kept: broken.kept }),
    });
  }

  #newWitness(side: ServiceSide, run: ChaosRun): Witness {
    return new Witness({
      now: () => this.#clock.now(),
      issues: () => side.issues(),
      events: () => run.events,
      ticketOf: (number, { title }) =>
        side.ids[number - 1] ?? [...discoveredIn(run.events)].find(([, found]) => found === title)?.[0],
      writingSince: () => this.#writingSince,
      mostLagMs: this.#weather.climate.stale.mostMs,
    });
  }

  /** Notes when each call that may write began. */
  #watched(service: TicketService): TicketService {
    const during = async <T>(call: () => Promise<T>): Promise<T> => {
      this.#callSince = this.#clock.now();
      try {
        return await call();
      } finally {
        this.#callSince = undefined;
      }
    };
    const { markStarted } = service;
    return {
      ...service,
      set: (write) => during(() => service.set(write)),
      file: (ticket) => during(() => service.file(ticket)),
      ...(markStarted && { markStarted: (id: TicketId) => during(() => markStarted(id)) }),
    };
  }

  #request({ name, isWrite }: { readonly name: string; readonly isWrite: boolean }): Mishap {
    this.#witness?.look();
    if (isWrite) this.#writingSince = this.#callSince;
    const mishap = this.#weather.next();
    this.#requests += 1;
    if (mishap.kind !== "none") this.#mishaps += 1;
    if (mishap.kind === "hang") this.#network.hang();
    if (this.#requests === this.#killAtRequest) this.#run?.kill();
    this.#log(`  ${name} ${mishap.kind === "none" ? "" : JSON.stringify(mishap)}`);
    return mishap;
  }

  #schedule(run: ChaosRun): void {
    for (const { at, issue, act } of this.#plan.acts) this.#clock.after(at, () => this.#act(run, issue, act));
    for (const { at, issue, step } of this.#plan.gates)
      this.#clock.after(at, () => run.command({ type: "gate", ticket: this.#idOf(issue), step }));
    this.#scheduleKill(run, 0);
  }

  #scheduleKill(run: ChaosRun, n: number): void {
    const kill = this.#plan.kills[n];
    if (kill === undefined) return;
    this.#killAtRequest = kill.after === "requests" ? this.#requests + kill.count : undefined;
    run.killAfter(kill.after === "events" ? kill.count : Number.POSITIVE_INFINITY, () => {
      this.#log("the engine is killed");
      this.#killAtRequest = undefined;
      this.#clock.after(kill.downMs, () => {
        this.#log("another engine takes over");
        this.#scheduleKill(run, n + 1);
        run.resume();
      });
    });
  }

  #idOf(issue: number): TicketId {
    return this.#mySide.ids[issue - 1] as TicketId;
  }

  /** A person acts, unless the run looks at nothing any more. */
  #act(run: ChaosRun, issue: number, act: PersonAct): void {
    if (run.state.stage !== "working") return;
    this.#log(`a person: ${JSON.stringify(act)} issue ${issue}`);
    this.#acts.set(issue, [...(this.#acts.get(issue) ?? []), act]);
    this.#witness?.person(issue, act, () => this.#mySide.act(this.#idOf(issue), act));
  }

  async #judge(service: TicketService, signal: AbortSignal | undefined) {
    this.#judgedAt = this.#clock.now();
    const ids = (this.#run as ChaosRun).state.plan.tickets.map(({ id }) => id);
    const keys = service.keys?.() ?? new Map<TicketId, string>();
    return judgeByOracle(this.#mySide, ids, { keys, signal, wait: (ms) => this.#network.wait(ms) });
  }

  #outcome(run: ChaosRun, witness: Witness, side: ServiceSide): Outcome {
    const problems = problemsOf({
      state: run.state,
      events: run.events,
      plan: this.#plan,
      real: side.issues(),
      witness,
      acts: this.#acts,
      judgedSince: this.#judgedAt - this.#weather.climate.stale.mostMs,
    });
    const minutes = Math.round((this.#clock.now() - this.#begun) / 60_000);
    return {
      problems: [...problems, ...side.mistakes().map((mistake) => `the stand-in: ${mistake}`)],
      requests: this.#requests,
      mishaps: this.#mishaps,
      verdict: run.state.end?.verdict ?? "none",
      minutes,
    };
  }

  #log(line: string): void {
    this.#options.log?.(`${((this.#clock.now() - this.#begun) / 1000).toFixed(1).padStart(8)} ${line}`);
  }
}

function batchFor({ spec, ids }: ServiceSide, plan: RunPlan): Batch {
  const tickets = plan.issues.map(({ title, body, blockedBy }, at) =>
    ticketOf(ids[at] ?? "", { title, body, dependsOn: blockedBy.map((number) => ids[number - 1] as TicketId) }),
  );
  const limits = { workers: plan.workers, attempts: 3, discoveries: 10, outageMinutes: OUTAGE_MINUTES, minutesPerAttempt: 600 };
  return { ...batchOf(tickets, limits), tracker: spec };
}

/** An event on one line. */
function lineOf({ seq: _, at: __, ...event }: RunEvent): string {
  return JSON.stringify(event).slice(0, 400);
}
