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

/** Runs at a time: much of each is waiting. */
const AT_A_TIME = 3;

/** Trials of one defence. All are begun when the first is asked for, a few side by side, and each is waited for on its own. */
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
      // The next in line waits for this one whatever comes of it; its own test hears of a failure.
      places[at % AT_A_TIME] = outcome.then(
        () => undefined,
        () => undefined,
      );
      return [trial, outcome];
    }),
  );
}

/** A copy of an installed program, whose oracle can be another. */
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

/** What a run came to. */
export interface Outcome {
  readonly code: number | null;
  readonly events: readonly RunEvent[];
  readonly end: Extract<RunEvent, { type: "run-ended" }> | undefined;
  /** All that it printed. */
  readonly said: string;
}

export async function runOf(stage: Stage, program: string, batch: string, env: Record<string, string> = {}): Promise<Outcome> {
  const { code, stdout, stderr } = await stage.start([batch, "--json"], env, program).ended;
  const events = eventsOf(stdout);
  return { code, events, end: events.find((event) => event.type === "run-ended"), said: stdout + stderr };
}

/** Throws where a run was stopped, but by something else than is meant. */
export function mustSay({ said }: Pick<Outcome, "said">, words: RegExp): void {
  if (!words.test(said)) throw new Error(`it was stopped, but not for ${words}:\n${said}`);
}

/** An agent that does nothing at once, so that nothing is ever done. */
export const IDLE = { agent: { kind: "command", command: ["true"] }, limits: { attempts: 1 } };

/** A folder of tickets with these front matters: its path. */
export function ticketFolder(stage: Stage, fronts: Readonly<Record<string, string>>): string {
  for (const [id, front] of Object.entries(fronts)) stage.write(`project/tickets/${id}.md`, `---\n${front}\n---\n# Do ${id}\n`);
  return stage.path("project/tickets");
}
