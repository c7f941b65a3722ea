import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type RunResult, run } from "../children.ts";
import { loopdashArgv, loopdashEnvironment } from "../loopdash.ts";
import { type AgentPlan, createSuiteRepository, honestModules, type SuiteRepository, ticketIds } from "./repository.ts";

export interface SuiteBatch {
  readonly name: string;
  readonly plan: AgentPlan;
  readonly workers: number;
  readonly suiteSeconds: number;
}

export interface SuiteOutcome {
  /** Starts of the suite, parts of it and proofs included. */
  readonly runs: number;
  /** From the program's start to its end. */
  readonly ms: number;
  /** The longest time without a line on the headless output, milliseconds. */
  readonly silenceMs: number;
}

/**
 * Runs the batch with the built program in a new state folder, sandboxed, to its end. Throws unless exactly the tickets that are not
 * faulty have landed.
 */
export async function runSuiteBatch(scratch: string, batch: SuiteBatch): Promise<SuiteOutcome> {
  const repo = await createSuiteRepository(scratch, batch);
  const batchPath = await writeSuiteBatch(scratch, batch, repo);
  const outputs: number[] = [performance.now()];
  const result = await run({
    argv: loopdashArgv(batchPath, "--headless"),
    cwd: scratch,
    env: loopdashEnvironment(scratch, join(scratch, `${batch.name}-state`)),
    onStart: ({ stdout }) => stdout?.on("data", () => outputs.push(performance.now())),
  });
  outputs.push(performance.now());
  await assertLanded({ repo, batch, result });
  const runs = await repo.countStarts();
  // Every landed change was checked, alone or in a train, and the base was measured: fewer were not counted.
  if (runs < 2) throw new Error(`the suite was counted ${runs} times: it cannot write to its counter`);
  const silenceMs = Math.max(...outputs.slice(1).map((at, i) => at - (outputs[i] ?? at)));
  return { runs, ms: result.ms, silenceMs };
}

async function writeSuiteBatch(scratch: string, { name, plan, workers }: SuiteBatch, repo: SuiteRepository): Promise<string> {
  // A folder of its own: a file that a command names beside the batch file is read-only in the sandbox, and the counter is not to be.
  const folder = join(scratch, `${name}-batch`);
  await mkdir(folder);
  const batchPath = join(folder, "batch.json");
  const report = "{artifacts}/report.tap";
  const content = {
    name,
    repos: { main: { path: repo.path, base: "main" } },
    agent: { kind: "command", command: repo.agent },
    // The counter lies outside of every checkout, because each run of the suite gets a checkout of its own.
    sandboxPolicy: { write: [repo.counter] },
    // An attempt more, or a heal, would be further runs: the figures are about what one honest attempt costs.
    limits: { workers, attempts: 1, heals: 0 },
    finish: [
      { step: "gates" },
      { step: "check", name: "tests", command: [...repo.check, report], report: { format: "tap", path: report } },
      { step: "merge" },
      { step: "assert" },
    ],
    tickets: ticketIds(plan).map((id) => ({ id, title: `Ticket ${id}`, repo: "main" })),
  };
  await writeFile(batchPath, JSON.stringify(content, undefined, 2));
  return batchPath;
}

interface Ended {
  readonly repo: SuiteRepository;
  readonly batch: SuiteBatch;
  readonly result: RunResult;
}

async function assertLanded({ repo, batch: { plan }, result }: Ended): Promise<void> {
  const code = plan.faulty === undefined ? 0 : 1;
  const landed = (await repo.changedModules()).join(" ");
  const expected = honestModules(plan).join(" ");
  if (result.code === code && landed === expected) return;
  const said = `${result.stderr}\n${result.stdout}`.slice(-3_000).trim();
  throw new Error(
    `loopdash ended with ${result.code}, not ${code}, or landed other modules (${landed}) than ${expected}: ${said}`,
  );
}
