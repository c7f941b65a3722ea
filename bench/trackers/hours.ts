import { TicketId } from "../../src/domain/values/ids.ts";
import type { ManyTickets } from "../../test/stand-ins/many-tickets.ts";
import { type BenchOptions, type Figure, valueFigure } from "../figure.ts";

const TICKETS = 1_000;
const HOUR_MS = 3_600_000;

/** People change a ticket this often. */
const ACT_EVERY_MS = 90_000;

type Shares = Record<"requests" | "points", number>;

interface Polled {
  /** The shares that each of the server's hours has taken, in per cent. */
  readonly hours: readonly Shares[];
  readonly readings: number;
}

/** Polls 1,000 tickets for some hours by an injected clock, with the pauses that the service asks for, while people change tickets. */
export async function hourFigures(
  open: (count: number) => Promise<ManyTickets>,
  { query, options }: { readonly query?: "search"; readonly options: BenchOptions },
): Promise<readonly Figure[]> {
  await using tickets = await open(TICKETS);
  const hours = options.quick ? 2 : 4;
  const {
    hours: [first, ...others],
    readings,
  } = await poll(tickets, query, hours);
  if (first === undefined || others.length < hours - 1) throw new Error(`the server counted less than ${hours} hours`);
  const of = `${tickets.name}${query === undefined ? "" : ", by a search"}: ${TICKETS} tickets`;
  const note = `${Math.round(readings / hours)} readings an hour`;
  options.log(
    `${of}: ${[first, ...others].map(({ requests, points }) => `${requests.toFixed(1)} % and ${points.toFixed(1)} %`).join("; ")}`,
  );
  return (["requests", "points"] as const).flatMap((kind) => {
    const worst = Math.max(...others.map((shares) => shares[kind]));
    const figure = { item: "trackers", unit: "%" } as const;
    const limit = `an hour's ${kind}`;
    return [
      valueFigure({ ...figure, what: `${of}, share of ${limit}`, value: worst, max: 50, note }),
      valueFigure({ ...figure, what: `${of}, the same with a start`, value: first[kind], max: 50 }),
    ];
  });
}

async function poll(tickets: ManyTickets, query: "search" | undefined, hours: number): Promise<Polled> {
  const { clock } = tickets;
  const begun = clock.now;
  const counted: Shares[] = [];
  const count = (): void => {
    const now = tickets.shares();
    const last = counted.at(-1);
    const isSameHour = last !== undefined && now.requests >= last.requests && now.points >= last.points;
    counted.splice(isSameHour ? -1 : counted.length, 1, { ...now });
  };
  // A start reads the batch, and its run goes on from that, with the tickets listed.
  const loading = tickets.service(query);
  const ids = [...(await loading.snapshot("whole")).keys()].map((id) => TicketId.parse(id));
  const service = loading.handOver?.(ids)?.service;
  if (service === undefined) throw new Error(`${tickets.name} hands nothing over`);
  let readings = 0;
  for (let acts = 0; clock.now < begun + hours * HOUR_MS; readings += 1) {
    await service.snapshot("changes");
    count();
    clock.now += service.pauseMs?.() ?? Number.NaN;
    for (; acts < (clock.now - begun) / ACT_EVERY_MS; acts += 1) act(tickets, acts);
  }
  return { hours: counted.slice(0, hours), readings };
}

function act(tickets: ManyTickets, acts: number): void {
  const number = ((acts * 37) % TICKETS) + 1;
  if (acts % 2 === 0) tickets.retitle(number, `Do ${number}, said for the ${acts + 1}th time`);
  else tickets.comment(number, "More words.");
}
