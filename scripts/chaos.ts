/**
 * `npm run chaos -- [--runs N] [--first SEED] [--service linear|github] [--minutes N]` plays runs of a batch on the stand-ins of the
 * services while their answers fail, lag and lie: half of the runs on each. `npm run chaos -- --service linear --seed 123` plays one
 * again and prints what happens in it. Exits with 1 if a run does what none may do. In CI, each service counts as one test
 * (.ci/out/chaos/numbers).
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { campaign, type PlayedRun, replayCommand } from "../test/chaos/campaign.ts";
import { play } from "../test/chaos/play.ts";
import { SERVICES, type ServiceName } from "../test/chaos/service-side.ts";

const OUT = resolve(import.meta.dirname, "../.ci/out/chaos");

function wholeNumber(text: string, name: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0) return value;
  console.error(`--${name} must be a whole number, not ${JSON.stringify(text)}.`);
  process.exit(2);
}

function serviceOf(text: string): ServiceName {
  const service = SERVICES.find((each) => each === text);
  if (service !== undefined) return service;
  console.error(`There is no service ${JSON.stringify(text)}. Services: ${SERVICES.join(", ")}.`);
  process.exit(2);
}

/** Plays one run and prints what happens: seconds of the run's clock, then an event, a request with its mishap, or what people did. */
async function again(service: ServiceName, seed: number): Promise<number> {
  const { problems, requests, mishaps, verdict, minutes } = await play({ service, seed, log: (line) => console.log(line) });
  console.log(`${verdict} after ${minutes} min of its clock, ${requests} requests, ${mishaps} of them failed`);
  for (const problem of problems) console.log(`FAILED: ${problem}`);
  return problems.length === 0 ? 0 : 1;
}

function tell({ outcome, ...run }: PlayedRun): void {
  if (outcome.problems.length === 0) return;
  console.log(`FAILED ${run.service} ${run.seed}: ${outcome.problems.slice(0, 5).join("\n  ")}\n  again: ${replayCommand(run)}`);
}

function summary(played: readonly PlayedRun[]): string {
  const sum = (of: (run: PlayedRun) => number) => played.reduce((all, run) => all + of(run), 0);
  const requests = sum(({ outcome }) => outcome.requests);
  const share = Math.round((100 * sum(({ outcome }) => outcome.mishaps)) / Math.max(1, requests));
  return `${requests} requests, ${share} % of them failed`;
}

async function all(services: readonly ServiceName[], options: { runs: number; first: number; minutes: number }): Promise<number> {
  const begun = performance.now();
  const signal = AbortSignal.timeout(options.minutes * 60_000);
  const played = await campaign({ ...options, services, processes: 2, signal, onRun: tell });
  const failed = played.filter(({ outcome }) => outcome.problems.length > 0);
  const left = options.runs - played.length;
  if (left > 0) console.log(`FAILED: there was no time for ${left} runs`);
  console.log(`${summary(played)}, in ${Math.round((performance.now() - begun) / 1000)} s`);
  console.log(`${played.length} runs, ${failed.length} failed`);
  if (process.env["CI"] === "true") {
    const bad = left > 0 ? services : services.filter((service) => failed.some((run) => run.service === service));
    mkdirSync(OUT, { recursive: true });
    writeFileSync(join(OUT, "numbers"), `${services.length - bad.length} passed, ${bad.length} failed\n`);
  }
  return left === 0 && failed.length === 0 ? 0 : 1;
}

const text = { type: "string" } as const;
const { values } = parseArgs({ options: { runs: text, first: text, service: text, seed: text, minutes: text } });
const service = values.service === undefined ? undefined : serviceOf(values.service);
if (values.seed !== undefined && service === undefined) {
  console.error(`--seed needs --service: ${SERVICES.join(" or ")}.`);
  process.exit(2);
}
process.exitCode =
  values.seed !== undefined && service !== undefined
    ? await again(service, wholeNumber(values.seed, "seed"))
    : await all(service === undefined ? SERVICES : [service], {
        runs: wholeNumber(values.runs ?? "1000", "runs"),
        first: wholeNumber(values.first ?? "1", "first"),
        minutes: wholeNumber(values.minutes ?? "90", "minutes"),
      });
