import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { RunEvent } from "../../../src/domain/run/event.ts";
import { eventsOf, type Stage } from "../../e2e/stage.ts";
import type { Attack, Defence } from "../suite.ts";

/** An attack that needs a run of its own. */
export interface Trial {
  readonly id: string;
  readonly what: string;
  readonly succeeds: (program: string) => Promise<boolean>;
}

/** Runs at a time: each one mostly waits. */
const AT_A_TIME = 3;

/** Trials of one defence. All start with the first test, a few at a time, and each test waits for its own. */
export function trials(defence: Defence, list: readonly Trial[]): Attack[] {
  const waves = new Map<string, ReadonlyMap<Trial, Promise<boolean>>>();
  return list.map((trial) => ({
    id: trial.id,
    what: trial.what,
    defence,
    succeeds: (program) => {
      const wave = waves.get(program) ?? begin(list, program);
      waves.set(program, wave);
      return wave.get(trial) as Promise<boolean>;
    },
  }));
}

function begin(list: readonly Trial[], program: string): ReadonlyMap<Trial, Promise<boolean>> {
  const places = Array.from({ length: AT_A_TIME }, () => Promise.resolve());
  return new Map(
    list.map((trial, at) => {
      const outcome = (places[at % AT_A_TIME] as Promise<void>).then(() => trial.succeeds(program));
      // The next trial waits for this one in any case; its own test reports a failure.
      places[at % AT_A_TIME] = outcome.then(
        () => undefined,
        () => undefined,
      );
      return [trial, outcome];
    }),
  );
}

/** A copy of an installed program, optionally with another oracle. */
export function install(stage: Stage, program: string, oracle?: (shipped: Uint8Array) => Uint8Array | string): string {
  const root = stage.path("installed");
  for (const part of ["dist", "prompts", "package.json"])
    cpSync(join(dirname(dirname(program)), part), join(root, part), { recursive: true });
  const file = oracleOf(join(root, "dist", "loopdash.js"));
  if (oracle !== undefined) writeFileSync(file, oracle(readFileSync(file)));
  return join(root, "dist", "loopdash.js");
}

/** The oracle beside an installed program. */
export const oracleOf = (program: string): string => join(dirname(program), "oracle.cjs");

/** The outcome of a run. */
export interface Outcome {
  readonly code: number | null;
  readonly events: readonly RunEvent[];
  readonly end: Extract<RunEvent, { type: "run-ended" }> | undefined;
  /** All of its output. */
  readonly said: string;
}

export async function runOf(stage: Stage, program: string, batch: string, env: Record<string, string> = {}): Promise<Outcome> {
  const { code, stdout, stderr } = await stage.start([batch, "--json"], env, program).ended;
  const events = eventsOf(stdout);
  return { code, events, end: events.find((event) => event.type === "run-ended"), said: stdout + stderr };
}

/** Throws if a run was stopped for another reason than the expected one. */
export function mustSay({ said }: Pick<Outcome, "said">, words: RegExp): void {
  if (!words.test(said)) throw new Error(`it was stopped, but not for ${words}:\n${said}`);
}

/** An agent that exits at once without work, so that nothing is ever done. */
export const IDLE = { agent: { kind: "command", command: ["true"] }, limits: { attempts: 1 } };

/** A folder of tickets with these front matters: its path. */
export function ticketFolder(stage: Stage, fronts: Readonly<Record<string, string>>): string {
  for (const [id, front] of Object.entries(fronts)) stage.write(`project/tickets/${id}.md`, `---\n${front}\n---\n# Do ${id}\n`);
  return stage.path("project/tickets");
}
