import { cpSync } from "node:fs";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { eventsOf, PROGRAM, Stage } from "../e2e/stage.ts";
import type { Attack, Defence } from "./suite.ts";

/** The aftermath of a campaign's run, for the check of one attack. */
export interface Aftermath {
  readonly stage: Stage;
  readonly events: readonly RunEvent[];
  readonly code: number | null;
  readonly stderr: string;
  /** The ticket of the attack. */
  readonly ticket: string;
  /** True if its change is on main. */
  readonly landed: boolean;
  /** The agent's output, and the summaries of its attempt's steps, one per line. */
  readonly said: string;
}

/** An attack by the agent of one ticket. */
export interface TicketAttack {
  readonly id: string;
  readonly what: string;
  readonly defence: Defence;
  /** The body of an async function over `{ ticket, fs, say, wait, sh, root }`: the agent's actions in its worktree. */
  readonly agent: string;
  /** More keys of the ticket in the batch file. */
  readonly ticket?: Readonly<Record<string, unknown>>;
  /** The run's message if it stops the attack, which proves that nothing else stopped it. */
  readonly told: RegExp;
  /** True if the attack reached its goal; by default, that its change is on main. */
  readonly harm?: (after: Aftermath) => boolean;
  /** More keys of its repository in the batch file. */
  readonly repo?: Readonly<Record<string, unknown>>;
  /** Further tickets on its repository: victims and accomplices. */
  readonly others?: readonly Pick<TicketAttack, "id" | "agent" | "ticket">[];
}

/** The world of a campaign. Each attack has its own repository: otherwise the first landed one would block the next. */
export interface World {
  /** The files on the base, by path. */
  readonly files: Readonly<Record<string, string>>;
  /** Keys of the batch file; a function if they depend on the work of `around`. */
  readonly batch: Readonly<Record<string, unknown>> | ((stage: Stage) => Readonly<Record<string, unknown>>);
  /** Keys of each repository in the batch file, besides its path. */
  readonly repo?: Readonly<Record<string, unknown>>;
  /** Creates everything else. */
  readonly around?: (stage: Stage) => void;
  /** Changes an attack's own copy of the repository. `path` is absolute. */
  readonly furnish?: (stage: Stage, options: { readonly path: string; readonly attack: TicketAttack }) => void;
  /** Adds to the repository before each attack gets its copy. */
  readonly template?: (stage: Stage, repo: string) => void;
  /** Variables for loopdash, besides its usual ones. */
  readonly env?: Readonly<Record<string, string>> | ((stage: Stage) => Readonly<Record<string, string>>);
  /** Arguments besides the batch file. */
  readonly args?: readonly string[];
}

/**
 * Attacks as tickets of one batch, so that one run of the real program covers many: all of them for the shipped program, and
 * those of one defence for a program without it. The run starts with the first test that needs it.
 */
export function campaign(world: World, attacks: readonly TicketAttack[]): Attack[] {
  const runs = new Map<string, Promise<Outcomes>>();
  const outcome = (program: string, attack: TicketAttack): Promise<Outcomes> => {
    const group = program === PROGRAM ? attacks : attacks.filter(({ defence }) => defence === attack.defence);
    const run = runs.get(program) ?? runAttacks(program, world, group);
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

/** A function per attack id that returns true if the attack reached its goal, or throws the reason why it did not run. */
type Outcomes = ReadonlyMap<string, () => boolean>;

async function runAttacks(program: string, world: World, group: readonly TicketAttack[]): Promise<Outcomes> {
  using stage = new Stage();
  world.around?.(stage);
  const batch = writeBatch(stage, world, group);
  const env = typeof world.env === "function" ? world.env(stage) : world.env;
  const { code, stdout, stderr } = await stage.start([batch, "--json", ...(world.args ?? [])], { ...env }, program).ended;
  const events = eventsOf(stdout);
  return new Map(
    group.map((attack) => {
      const landed = stage.landed(repoOf(attack)).includes(attack.id);
      const after = { stage, events, code, stderr, ticket: attack.id, landed, said: said(events, attack.id) };
      const shown = after.said || `${stderr}\n${stdout.slice(-SHOWN_CHARS)}`;
      return [attack.id, outcomeOf(attack, after, { shown, shipped: program === PROGRAM })];
    }),
  );
}

/** The end of what the run said of an attack that a missing defence did not stop. */
const SHOWN_CHARS = 4_000;

/** Checks now, because the stage is gone by the time of the attack's own test; errors are thrown there. */
function outcomeOf(attack: TicketAttack, after: Aftermath, options: { shown: string; shipped: boolean }): () => boolean {
  try {
    const harmed = attack.harm?.(after) ?? after.landed;
    if (!harmed && options.shipped && !attack.told.test(after.said))
      throw new Error(`${attack.id} was stopped, but not for ${attack.told}:\n${options.shown}`);
    if (!harmed && !options.shipped)
      throw new Error(`${attack.id} was stopped with the defence taken out:\n${options.shown.slice(-SHOWN_CHARS)}`);
    return () => harmed;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

const repoOf = ({ id }: TicketAttack): string => id.toLowerCase();

/** Makes the repositories, the agent and the batch file. */
function writeBatch(stage: Stage, world: World, group: readonly TicketAttack[]): string {
  const template = stage.repo("template", world.files);
  world.template?.(stage, "template");
  for (const attack of group) {
    const path = stage.path(repoOf(attack));
    cpSync(template, path, { recursive: true });
    world.furnish?.(stage, { path, attack });
  }
  const tickets = group.flatMap((attack) =>
    [attack, ...(attack.others ?? [])].map((each) => ({ ...each, repo: repoOf(attack) })),
  );
  const bodies = tickets.map(({ id, agent }) => `${JSON.stringify(id)}: async () => { ${agent} }`);
  stage.agent(`const root = ${JSON.stringify(stage.root)};\nawait ({ ${bodies.join(",\n")} })[ticket]();`);
  const batch = typeof world.batch === "function" ? world.batch(stage) : world.batch;
  const { limits, ...over } = batch as { limits?: object };
  return stage.batch(
    tickets.map(({ id, repo, ticket }) => ({ id, repo, ...ticket })),
    {
      repos: Object.fromEntries(group.map((attack) => [repoOf(attack), { path: repoOf(attack), ...world.repo, ...attack.repo }])),
      ...over,
      // One defence stops many attacks in the same words.
      limits: { workers: 4, attempts: 1, sharedFaults: 0, ...limits },
    },
  );
}

/** The run's output about a ticket. */
function said(events: readonly RunEvent[], ticket: string): string {
  return events.flatMap((event) => ("ticket" in event && event.ticket === ticket ? [JSON.stringify(event)] : [])).join("\n");
}
