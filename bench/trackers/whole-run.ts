import { openService, type Service } from "../../test/e2e/services.ts";
import { HONEST, PROGRAM, Stage } from "../../test/e2e/stage.ts";
import type { ManyTickets } from "../../test/stand-ins/many-tickets.ts";
import { type BenchOptions, type Figure, ratioFigure } from "../figure.ts";
import { readNaively } from "./naive.ts";

const TICKETS = 20;

/** The most that a run may ask for, compared with a naive client on the same batch. */
const MOST = 0.5;

/** Counts of the requests of one run. */
interface Counts {
  readonly all: number;
  /** Readings of all tickets, but for those of the oracle. */
  readonly polls: number;
  readonly writes: number;
  readonly judgements: number;
}

/** The requests of the real program for a batch, beside those of a client that reads as often, ticket by ticket, and writes as much. */
export async function runFigure(
  kind: Service["kind"],
  open: (count: number) => Promise<ManyTickets>,
  options: BenchOptions,
): Promise<Figure> {
  const { all, polls, writes, judgements } = await run(kind);
  options.log(`${kind}: ${all} requests, ${polls} polls, ${writes} writes, ${judgements} judgements`);
  await using tickets = await open(TICKETS);
  const naive = polls * (await readNaively(tickets, TICKETS)) + writes;
  return ratioFigure({
    item: "trackers",
    what: `${tickets.name}: a whole run of ${TICKETS} tickets`,
    value: all,
    unit: "requests",
    floor: { what: "ticket by ticket, same polls and writes", value: naive },
    max: MOST,
    note: `${polls} polls, ${writes} writes, ${judgements} judgements of the oracle`,
  });
}

async function run(kind: Service["kind"]): Promise<Counts> {
  await using ends = new AsyncDisposableStack();
  using stage = new Stage(PROGRAM);
  const wanted = Array.from({ length: TICKETS }, (_, at) => [at + 1, at % 3 === 2 ? [at] : []] as const);
  const service = await openService(kind, wanted, (end) => void ends.defer(end));
  stage.repo("app");
  stage.agent(HONEST);
  const batch = stage.batch([], { sandbox: "required", tracker: service.tracker });
  const { code, stdout, stderr } = await stage.run([batch, "--json"], service.env);
  if (code !== 0) throw new Error(`loopdash ended with ${code}: ${(stderr || stdout).slice(-2_000).trim()}`);
  const open = service.shown().filter(({ state }) => state !== "done");
  if (open.length > 0) throw new Error(`${open.length} of ${TICKETS} tickets are not done in ${kind}`);
  const asked = service.asked();
  const count = (pattern: RegExp): number => asked.filter((request) => pattern.test(request)).length;
  const { poll, write } = PATTERNS[kind];
  return { all: asked.length, polls: count(poll), writes: count(write), judgements: count(/LoopdashOracle/) };
}

/** How the log of a stand-in shows readings of all tickets, and writes. */
const PATTERNS: Readonly<Record<Service["kind"], { readonly poll: RegExp; readonly write: RegExp }>> = {
  linear: { poll: /^Loopdash(?:Issues .*"team"|Changes )/, write: /^(?:create|update|delete)/ },
  github: { poll: /^(?:GET \S+\/issues |POST \/graphql .*l0_label)/, write: /^(?:PATCH|DELETE|POST \/repos)/ },
};
