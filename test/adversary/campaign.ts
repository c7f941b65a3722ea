import { cpSync } from "node:fs";
import type { RunEvent } from "../../src/domain/event.ts";
import { eventsOf, PROGRAM, Stage } from "../e2e/stage.ts";
import type { Attack, Defence } from "./suite.ts";

/** What a run of a campaign left, for one attack to look at. */
export interface Aftermath {
  readonly stage: Stage;
  readonly events: readonly RunEvent[];
  readonly code: number | null;
  readonly stderr: string;
  /** The ticket of the attack. */
  readonly ticket: string;
  /** Whether its change is on main. */
  readonly landed: boolean;
  /** What the agent printed, and the summaries of its attempt's steps, a line each. */
  readonly said: string;
}

/** An attack by the agent of one ticket. */
export interface TicketAttack {
  readonly id: string;
  readonly what: string;
  readonly defence: Defence;
  /** The body of an async function over `{ ticket, fs, say, wait, sh, root }`: what the agent does in its worktree. */
  readonly agent: string;
  /** More keys of the ticket in the batch file. */
  readonly ticket?: Readonly<Record<string, unknown>>;
  /** What the run says of it where it is stopped, so that it is not stopped by something else. */
  readonly told: RegExp;
  /** Whether it got what it wanted; that its change is on main, where nothing is given. */
  readonly harm?: (after: Aftermath) => boolean;
}

/** The world of a campaign. Each attack has a repository of its own, or the first that lands would be in the way of the next. */
export interface World {
  /** The files on the base, by path. */
  readonly files: Readonly<Record<string, string>>;
  /** Keys of the batch file. */
  readonly batch: Readonly<Record<string, unknown>>;
  /** Makes whatever else there is. */
  readonly around?: (stage: Stage) => void;
}

/**
 * Attacks that are tickets of one batch, so that one run of the real program tries many: all of them where it is the one that
 * ships, and those of one defence where that is taken out. The run is made when the first of them asks.
 */
export function campaign(world: World, attacks: readonly TicketAttack[]): Attack[] {
  const runs = new Map<string, Promise<ReadonlyMap<string, boolean>>>();
  const outcome = (program: string, attack: TicketAttack): Promise<ReadonlyMap<string, boolean>> => {
    const wave = program === PROGRAM ? attacks : attacks.filter(({ defence }) => defence === attack.defence);
    const run = runs.get(program) ?? wage(program, world, wave);
    runs.set(program, run);
    return run;
  };
  return attacks.map((attack) => ({
    id: attack.id,
    what: attack.what,
    defence: attack.defence,
    succeeds: async (program) => (await outcome(program, attack)).get(attack.id) ?? false,
  }));
}

async function wage(program: string, world: World, wave: readonly TicketAttack[]): Promise<ReadonlyMap<string, boolean>> {
  using stage = new Stage();
  world.around?.(stage);
  const batch = mobilise(stage, world, wave);
  const { code, stdout, stderr } = await stage.start([batch, "--json"], {}, program).ended;
  const events = eventsOf(stdout);
  return new Map(
    wave.map((attack) => {
      const landed = stage.landed(repoOf(attack)).includes(attack.id);
      const after = { stage, events, code, stderr, ticket: attack.id, landed, said: said(events, attack.id) };
      const harmed = attack.harm?.(after) ?? landed;
      if (!harmed && program === PROGRAM && !attack.told.test(after.said))
        throw new Error(`${attack.id} was stopped, but not for ${attack.told}:\n${after.said || `${stdout}${stderr}`}`);
      return [attack.id, harmed];
    }),
  );
}

const repoOf = ({ id }: TicketAttack): string => id.toLowerCase();

/** Makes the repositories, the agent and the batch file. */
function mobilise(stage: Stage, world: World, wave: readonly TicketAttack[]): string {
  const template = stage.repo("template", world.files);
  for (const attack of wave) cpSync(template, stage.path(repoOf(attack)), { recursive: true });
  const bodies = wave.map(({ id, agent }) => `${JSON.stringify(id)}: async () => { ${agent} }`);
  stage.agent(`const root = ${JSON.stringify(stage.root)};\nawait ({ ${bodies.join(",\n")} })[ticket]();`);
  const { limits, ...over } = world.batch as { limits?: object };
  return stage.batch(
    wave.map((attack) => ({ id: attack.id, repo: repoOf(attack), ...attack.ticket })),
    {
      repos: Object.fromEntries(wave.map((attack) => [repoOf(attack), { path: repoOf(attack) }])),
      ...over,
      limits: { workers: 4, attempts: 1, ...limits },
    },
  );
}

/** What the run told of a ticket. */
function said(events: readonly RunEvent[], ticket: string): string {
  return events.flatMap((event) => ("ticket" in event && event.ticket === ticket ? [JSON.stringify(event)] : [])).join("\n");
}
