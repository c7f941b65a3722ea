import { onTestFinished } from "vitest";
import type { RunEvent } from "../../../src/domain/run/event.ts";
import { type Service, stagedIn } from "../../e2e/services.ts";
import { eventsOf, HONEST, PROGRAM, type Stage } from "../../e2e/stage.ts";
import type { Attack, Defence } from "../suite.ts";
import { Between } from "./between.ts";

/** What a run over a service left. */
export interface Aftermath {
  readonly stage: Stage;
  readonly service: Service;
  readonly between: Between;
  readonly events: readonly RunEvent[];
  readonly code: number | null;
  /** The attack's ticket. */
  readonly ticket: string;
  readonly number: number;
  /** What the run told of it, one event per line. */
  readonly said: string;
  /** What `--dry-run` lists afterwards: the tickets under the ids by which a next run knows them. */
  readonly plan: string;
}

/** An attack by the agent of one ticket, or by what is written about it. */
export interface ServiceAttack {
  readonly id: string;
  readonly what: string;
  readonly defence: Readonly<Record<Service["kind"], Defence>>;
  /** The body of an async function over `{ ticket, address, kind, idOf, prompt, fs, say, sh, discover }`. */
  readonly agent: string;
  /** What people wrote before the run. */
  readonly before?: (service: Service, number: number) => void;
  readonly harm: (after: Aftermath) => boolean;
}

/** Attacks on one service as tickets of one batch, so that one run tries them all. */
export function campaignIn(kind: Service["kind"], attacks: readonly ServiceAttack[]): Attack[] {
  const runs = new Map<string, Promise<ReadonlyMap<string, () => boolean>>>();
  return attacks.map((attack) => ({
    id: `${attack.id}-${kind}`,
    what: `${attack.what} (${kind})`,
    defence: attack.defence[kind],
    async succeeds(program) {
      const group = program === PROGRAM ? attacks : attacks.filter(({ defence }) => defence === attack.defence);
      const run = runs.get(program) ?? runAttacks(kind, program, group);
      runs.set(program, run);
      return (await run).get(attack.id)?.() ?? false;
    },
  }));
}

/** Source of what every agent has. `discover` reports work that the agent found. */
const HANDS = `const discover = (found) => {
  const folder = process.env.LOOPDASH_OUTBOX + "/discovered";
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(folder + "/1.json", JSON.stringify({ reason: "seen on the way", ...found }));
};
const work = () => { ${HONEST} };
`;

async function runAttacks(
  kind: Service["kind"],
  program: string,
  group: readonly ServiceAttack[],
): Promise<ReadonlyMap<string, () => boolean>> {
  const between = await Between.open();
  const tickets = group.map((_, at) => [at + 1] as const);
  const limits = { attempts: 1, workers: 3, discoveries: 20 };
  const { stage, service, batch } = await stagedIn(kind, tickets, { tracker: between.address(kind), limits }, program);
  between.leadTo(service);
  for (const [at, { before }] of group.entries()) before?.(service, at + 1);
  const bodies = group.map(({ agent }, at) => `${JSON.stringify(service.id(at + 1))}: async () => { ${agent} }`);
  const known = { kind, origin: between.origin, root: stage.root, prefix: service.id(0).slice(0, -1) };
  stage.agent(`const { kind, origin, root, prefix } = ${JSON.stringify(known)};
${HANDS}
await ({ ${bodies.join(",\n")} })[ticket]?.();`);
  onTestFinished(() => stage[Symbol.dispose]());
  const { code, stdout, stderr } = await stage.start([batch, "--json"], service.env, program).ended;
  const events = eventsOf(stdout);
  if (code === 4) throw new Error(stderr);
  const plan = (await stage.start([batch, "--dry-run"], service.env, program).ended).stdout;
  return new Map(
    group.map((attack, at) => {
      const ticket = service.id(at + 1);
      const said = events.flatMap((event) => ("ticket" in event && event.ticket === ticket ? [JSON.stringify(event)] : []));
      const after = { stage, service, between, events, code, ticket, number: at + 1, said: said.join("\n"), plan };
      return [attack.id, outcomeOf(attack, after, { stderr, isShipped: program === PROGRAM })];
    }),
  );
}

/** Checks now, because the stage is gone by the time of the attack's own test; errors are thrown there. */
function outcomeOf(
  attack: ServiceAttack,
  after: Aftermath,
  { stderr, isShipped }: { readonly stderr: string; readonly isShipped: boolean },
): () => boolean {
  try {
    const isHarmed = attack.harm(after);
    const shown = `${after.said.slice(-4_000)}\n${after.plan}\n${stderr}`;
    if (!isHarmed && !isShipped) throw new Error(`${attack.id} was stopped with the defence taken out:\n${shown}`);
    return () => isHarmed;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
