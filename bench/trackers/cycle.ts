import type { ManyTickets } from "../../test/stand-ins/many-tickets.ts";
import { type Figure, valueFigure } from "../figure.ts";
import { readNaively } from "./naive.ts";

const TICKETS = 100;
const MINUTE_MS = 60_000;

/** The most requests of a cycle: if nothing has changed, if a ticket has, and if everything is read anew. */
const MOST = {
  Linear: { quiet: 1, changed: 1, whole: 1 },
  GitHub: { quiet: 2, changed: 2, whole: 2 },
} as const;

/** The requests of one reconcile cycle, beside a client that reads each ticket by itself. */
export async function cycleFigures(open: (count: number) => Promise<ManyTickets>): Promise<readonly Figure[]> {
  await using tickets = await open(TICKETS);
  const { name, clock } = tickets;
  const floor = { what: "ticket by ticket", value: await readNaively(tickets, TICKETS) };
  const service = tickets.service();
  await service.snapshot("whole");
  await service.snapshot("changes");
  const cycle = async (how: "whole" | "changes"): Promise<number> => {
    clock.now += MINUTE_MS;
    tickets.asked();
    const found = await service.snapshot(how);
    if (found.size !== TICKETS) throw new Error(`${name} has ${found.size} of ${TICKETS} tickets`);
    return tickets.asked().length;
  };
  const quiet = await cycle("changes");
  tickets.retitle(5, "Do it otherwise");
  tickets.comment(8, "More words.");
  const changed = await cycle("changes");
  const whole = await cycle("whole");
  const figure = (what: string, value: number, max: number) =>
    valueFigure({
      item: "trackers",
      what: `${name}: a cycle for ${TICKETS} tickets, ${what}`,
      value,
      unit: "requests",
      floor,
      max,
    });
  return [
    figure("nothing changed", quiet, MOST[name].quiet),
    figure("all read anew", whole, MOST[name].whole),
    figure("two tickets changed", changed, MOST[name].changed),
  ];
}
