import { join } from "node:path";
import { createFrozenOracle } from "../src/adapters/oracle/frozen-oracle.ts";
import { loadOracleBytes } from "../src/adapters/oracle/load-oracle.ts";
import { TicketId } from "../src/domain/values/ids.ts";
import { inLinear, onGitHub } from "../test/stand-ins/many-tickets.ts";
import { ROOT, scratchFolder } from "./children.ts";
import { type Bench, type BenchOptions, type Figure, valueFigure } from "./figure.ts";
import { cycleFigures } from "./trackers/cycle.ts";
import { hourFigures } from "./trackers/hours.ts";
import { runFigure } from "./trackers/whole-run.ts";

const JUDGED = 250;

/** What loopdash asks of Linear and GitHub, counted by their stand-ins. */
export const trackers: Bench = {
  name: "trackers",
  about: "requests to Linear and GitHub: a cycle, a whole run, an hour of polling 1,000 tickets, a judgement",
  async run(options: BenchOptions): Promise<readonly Figure[]> {
    return [
      ...(await cycleFigures(inLinear)),
      ...(await cycleFigures(onGitHub)),
      await runFigure("linear", inLinear, options),
      await runFigure("github", onGitHub, options),
      ...(await hourFigures(inLinear, { options })),
      ...(await hourFigures(onGitHub, { options })),
      ...(await hourFigures(onGitHub, { query: "search", options })),
      await judgement(),
    ];
  },
};

async function judgement(): Promise<Figure> {
  await using scratch = await scratchFolder("trackers");
  await using tickets = await inLinear(JUDGED);
  const service = tickets.service();
  const ids = [...(await service.snapshot("whole")).keys()].map((id) => TicketId.parse(id));
  const { url, authorization } = tickets.api;
  const keys = Object.fromEntries(service.keys?.() ?? []);
  const oracle = createFrozenOracle({
    bytes: await loadOracleBytes(join(ROOT, "dist", "oracle.cjs")),
    batch: { version: 1, tracker: { kind: "linear", canceled: "open", keys, repos: {} }, tickets: ids },
    scratch: scratch.path,
    service: {
      access: { url, authorization: () => Promise.resolve(authorization) },
      openStandIn: () => Promise.reject(new Error("no canary here")),
      withoutNetwork: [],
    },
  });
  tickets.asked();
  const { verdict } = await oracle.judge();
  if (verdict !== "not-done") throw new Error(`the oracle says ${verdict} of ${JUDGED} open tickets`);
  const value = tickets.asked().length;
  return valueFigure({ item: "trackers", what: `Linear: the oracle judges ${JUDGED} tickets`, value, unit: "requests", max: 1 });
}
