import { cpSync } from "node:fs";
import type { RunEvent } from "../../src/domain/run/event.ts";
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
  /** More keys of its repository in the batch file. */
  readonly repo?: Readonly<Record<string, unknown>>;
  /** Further tickets on its repository: victims and accomplices. */
  readonly others?: readonly Pick<TicketAttack, "id" | "agent" | "ticket">[];
}

/** The world of a campaign. Each attack has a repository of its own, or the first that lands would be in the way of the next. */
export interface World {
  /** The files on the base, by path. */
  readonly files: Readonly<Record<string, string>>;
  /** Keys of the batch file; a function where they depend on what `around` made. */
  readonly batch: Readonly<Record<string, unknown>> | ((stage: Stage) => Readonly<Record<string, unknown>>);
  /** Keys of each repository in the batch file, beside its path. */
  readonly repo?: Readonly<Record<string, unknown>>;
  /** Makes whatever else there is. */
  readonly around?: (stage: Stage) => void;
  /** Goes on with the repository of an attack, which is a copy of its own. `path` is absolute. */
  readonly furnish?: (stage: Stage, options: { readonly path: string; readonly attack: TicketAttack }) => void;
  /** Makes more of the repository of which each attack gets a copy. */
  readonly template?: (stage: Stage, repo: string) => void;
  /** Variables that loopdash is started with beside its usual ones. */
  readonly env?: Readonly<Record<string, string>> | ((stage: Stage) => Readonly<Record<string, string>>);
  /** Arguments beside the batch file. */
  readonly args?: readonly string[];
}

/**
 * Attacks that are tickets of one batch, so that one run of the real program tries many: all of them where it is the one that
 * ships, and those of one defence where that is taken out. The run is made when the first of them asks.
 */
export function campaign(world: World, attacks: readonly TicketAttack[]): Attack[] {
  const runs = new Map<string, Promise<Outcomes>>();
  const outcome = (program: string, attack: TicketAttack): Promise<Outcomes> => {
    const wave = program === PROGRAM ? attacks : attacks.filter(({ defence }) => defence === attack.defence);
    const run = runs.get(program) ?? wage(program, world, wave);
    runs.set(program, run);
    return run;
  };
  return attacks.map((attack) => ({
    id: attack.id,
    what: attack.what,
    defence: attack.defence,
    succeeds: async (program) => (await outcome(program, attack)).get(attack.id)?.() ?? false,
  }));
}

/** Whether each attack got what it wanted, or why it was not tried; by its id. */
type Outcomes = ReadonlyMap<string, () => boolean>;

async function wage(program: string, world: World, wave: readonly TicketAttack[]): Promise<Outcomes> {
  using stage = new Stage();
  world.around?.(stage);
  const batch = mobilise(stage, world, wave);
  const env = typeof world.env === "function" ? world.env(stage) : world.env;
  const { code, stdout, stderr } = await stage.start([batch, "--json", ...(world.args ?? [])], { ...env }, program).ended;
  const events = eventsOf(stdout);
  return new Map(
    wave.map((attack) => {
      const landed = stage.landed(repoOf(attack)).includes(attack.id);
      const after = { stage, events, code, stderr, ticket: attack.id, landed, said: said(events, attack.id) };
      const shown = after.said || `${stdout}${stderr}`;
      return [attack.id, outcomeOf(attack, after, { shown, shipped: program === PROGRAM })];
    }),
  );
}

/** Looks now, since the stage is gone when the attack's own test asks; what is thrown is thrown there. */
function outcomeOf(attack: TicketAttack, after: Aftermath, options: { shown: string; shipped: boolean }): () => boolean {
  try {
    const harmed = attack.harm?.(after) ?? after.landed;
    if (!harmed && options.shipped && !attack.told.test(after.said))
      throw new Error(`${attack.id} was stopped, but not for ${attack.told}:\n${options.shown}`);
    return () => harmed;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

const repoOf = ({ id }: TicketAttack): string => id.toLowerCase();

/** Makes the repositories, the agent and the batch file. */
function mobilise(stage: Stage, world: World, wave: readonly TicketAttack[]): string {
  const template = stage.repo("template", world.files);
  world.template?.(stage, "template");
  for (const attack of wave) {
    const path = stage.path(repoOf(attack));
    cpSync(template, path, { recursive: true });
    world.furnish?.(stage, { path, attack });
  }
  const tickets = wave.flatMap((attack) => [attack, ...(attack.others ?? [])].map((each) => ({ ...each, repo: repoOf(attack) })));
  const bodies = tickets.map(({ id, agent }) => `${JSON.stringify(id)}: async () => { ${agent} }`);
  stage.agent(`const root = ${JSON.stringify(stage.root)};\nawait ({ ${bodies.join(",\n")} })[ticket]();`);
  const batch = typeof world.batch === "function" ? world.batch(stage) : world.batch;
  const { limits, ...over } = batch as { limits?: object };
  return stage.batch(
    tickets.map(({ id, repo, ticket }) => ({ id, repo, ...ticket })),
    {
      repos: Object.fromEntries(wave.map((attack) => [repoOf(attack), { path: repoOf(attack), ...world.repo, ...attack.repo }])),
      ...over,
      limits: { workers: 4, attempts: 1, ...limits },
    },
  );
}

/** What the run told of a ticket. */
function said(events: readonly RunEvent[], ticket: string): string {
  return events.flatMap((event) => ("ticket" in event && event.ticket === ticket ? [JSON.stringify(event)] : [])).join("\n");
}
