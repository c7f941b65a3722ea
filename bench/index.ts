/**
 * `npm run bench -- [--only NAME[,NAME…]] [--peer] [--quick] [--ci] [--json FILE]`: measures the costs of loopdash, each figure against
 * something measured in the same run. A table on stdout (JSON instead with `--json -`); progress on stderr. Exits with 1 if a
 * figure is over its bound or an item did not run. With `--ci`, a short share (bench/ci.ts), quick and with wider bounds; each item
 * counts as one test (.ci/out/bench/numbers).
 */
import { writeFile } from "node:fs/promises";
import { arch, cpus, platform } from "node:os";
import { parseArgs } from "node:util";
import { behaviour } from "./behaviour.ts";
import { CI_ITEMS, writeCiResult } from "./ci.ts";
import { dashboard } from "./dashboard.ts";
import { type Bench, type Figure, type ItemFailure, widenBound } from "./figure.ts";
import { forge } from "./forge.ts";
import { gateway } from "./gateway.ts";
import { guard } from "./guard.ts";
import { idle } from "./idle.ts";
import { makespan } from "./makespan.ts";
import { masking } from "./masking.ts";
import { overhead } from "./overhead.ts";
import { peer } from "./peer.ts";
import { prepareOnce } from "./prepare-once.ts";
import { prepared } from "./prepared.ts";
import { programs } from "./programs.ts";
import { refill } from "./refill.ts";
import { scheduling } from "./scheduling.ts";
import { start } from "./start.ts";
import { suite } from "./suite.ts";
import { toTable } from "./table.ts";
import { tracker } from "./tracker.ts";
import { trackers } from "./trackers.ts";
import { verifier } from "./verifier.ts";

const ALL: readonly Bench[] = [
  scheduling,
  start,
  overhead,
  programs,
  refill,
  makespan,
  suite,
  idle,
  dashboard,
  tracker,
  trackers,
  forge,
  verifier,
  gateway,
  guard,
  behaviour,
  masking,
  prepared,
  prepareOnce,
  peer,
];

const { values: flags } = parseArgs({
  options: {
    only: { type: "string" },
    json: { type: "string" },
    quick: { type: "boolean", default: false },
    peer: { type: "boolean", default: false },
    ci: { type: "boolean", default: false },
  },
});

const quick = flags.quick || flags.ci;
const wanted = flags.only?.split(",") ?? (flags.ci ? CI_ITEMS : undefined);
const unknown = wanted?.filter((name) => ALL.every((bench) => bench.name !== name)) ?? [];
if (unknown.length > 0) {
  console.error(`There is no item ${unknown.join(", ")}. Items: ${ALL.map((bench) => bench.name).join(", ")}.`);
  process.exit(2);
}
const chosen = ALL.filter((bench) =>
  wanted === undefined ? bench.onRequest !== true || flags.peer : wanted.includes(bench.name),
);

const figures: Figure[] = [];
const failures: ItemFailure[] = [];
for (const bench of chosen) {
  console.error(`${bench.name}: ${bench.about}`);
  try {
    const measured = await bench.run({ quick, log: (line) => console.error(`  ${line}`) });
    figures.push(...(flags.ci ? measured.map(widenBound) : measured));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    console.error(`  did not run: ${problem}`);
    failures.push({ item: bench.name, problem });
  }
}

const machine = { node: process.version, platform: platform(), arch: arch(), cores: cpus().length };
const result = { at: new Date().toISOString(), quick, machine, figures, failures };
const json = `${JSON.stringify(result, undefined, 2)}\n`;
if (flags.json === "-") {
  process.stdout.write(json);
} else {
  if (figures.length > 0) console.log(toTable(figures));
  for (const failure of failures) console.log(`FAILED ${failure.item}: ${failure.problem}`);
  if (flags.json !== undefined) await writeFile(flags.json, json);
}
if (flags.ci) writeCiResult({ items: chosen.map(({ name }) => name), figures, failures });
process.exitCode = failures.length === 0 && figures.every((figure) => figure.pass) ? 0 : 1;
