import fc from "fast-check";
import { expect, test } from "vitest";
import type { Ticket } from "../../src/domain/batch/schema.ts";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import type { Intervention } from "../../src/domain/results/intervention.ts";
import { ticketById as stateOf } from "../../src/domain/run/state.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import { vecItems } from "../../src/domain/values/vec.ts";
import { batchOf, ticketOf } from "../domain/simulate.ts";
import { judgeBy } from "./honest-oracle.ts";
import { type Act, act, counted, People } from "./world/people.ts";
import { World } from "./world/world.ts";

/** Runs in CI, and with LOOPDASH_PEOPLE_RUNS=5000 for longer. */
const RUNS = Number(process.env["LOOPDASH_PEOPLE_RUNS"] ?? 300);
/** Hours of the world's clock after which a run that goes on will not end. */
const LONGEST_HOURS = 12;

const wait: fc.Arbitrary<number> = fc.constantFrom(0, 0, 400, 1_500, 9_000, 21_000, 45_000, 130_000);

const given = fc.record({
  steps: fc.array(fc.record({ wait, act }), { maxLength: 25 }),
  agents: fc.array(fc.boolean(), { maxLength: 6 }),
  verifies: fc.array(fc.boolean(), { maxLength: 10 }),
  live: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
  deps: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
  workers: fc.constantFrom(1, 2, 4),
  attempts: fc.constantFrom(1, 2),
});
type Given = typeof given extends fc.Arbitrary<infer T> ? T : never;

const VERIFY: StepSpec = { step: "verify", name: "live", command: ["verify"] };

function batchFor({ live, deps, workers, attempts }: Given) {
  const tickets = live.map((isLive, n): Ticket => {
    const finish: StepSpec[] = [{ step: "merge" }, ...(isLive ? [VERIFY] : []), { step: "assert" }];
    return ticketOf(`T-${n}`, { finish, dependsOn: deps[n] && n > 0 ? [TicketId.parse(`T-${n - 1}`)] : [] });
  });
  const batch = batchOf(tickets, { workers, attempts, outageMinutes: 15 });
  return { ...batch, tracker: { kind: "local", path: "/tickets" }, live: { repeats: 2, everySeconds: 5 } } as const;
}

async function play(input: Given): Promise<void> {
  const world = new World({ batch: batchFor(input), agents: input.agents, verifies: input.verifies });
  const people = new People(world);
  await world.start();
  for (const { wait: ms, act: next } of input.steps) {
    await world.pass(ms);
    await world.resume();
    // What is done after the last look at everything is not part of the run.
    if (world.state.stage !== "working") continue;
    people.act(next);
    await world.settle();
  }
  people.calmDown();
  await world.settle();
  // An engine may be killed while it finishes the run.
  await world.pass(LONGEST_HOURS * 3_600_000);
  await world.resume();
  await world.pass(LONGEST_HOURS * 3_600_000);
  const { state, repo, tracker } = world;
  expect(state.stage, "the run ends").toBe("ended");
  const judgement = await judgeBy(tracker.port());
  if (state.end?.exitCode === 0) expect(judgement, "no false done").toMatchObject({ verdict: "done" });
  expect(people.seen.toSorted(), "every act is seen once, and nothing else is one").toEqual(people.toSee.toSorted());
  for (const kind of KINDS) if (people.seen.some((line) => line.includes(kind))) seenKinds.add(kind);
  const brief = (list: readonly Intervention[]) => list.map((i) => [i.class, i.target, i.at]);
  expect(brief(state.interventions), "every act counts once").toEqual(brief(counted(world)));
  for (const sha of people.commits) expect(repo.isReachable(sha), `the commit ${sha.slice(0, 8)} is not lost`).toBe(true);
  for (const { id, phase } of vecItems(state.tickets)) {
    const there = tracker.tickets.get(id)?.state.as;
    if (phase === "done") expect(there, `${id} is shipped`).toBe("done");
    if (there === "done") expect(stateOf(state, id).phase, `${id} is done in the tracker`).toBe("done");
  }
}

const plain: Omit<Given, "steps"> = {
  agents: [],
  verifies: [],
  live: [false, false, false, false],
  deps: [false, false, false, false],
  workers: 1,
  attempts: 1,
};
const ticket = (what: Exclude<Extract<Act, { which: number }>["do"], "both">, n: number, other = 0) => ({
  do: what,
  which: n,
  other,
});
const at = (...acts: readonly (readonly [number, Act])[]) => acts.map(([ms, next]) => ({ wait: ms, act: next }));

/** Sequences in which an act was once lost or counted twice, and such with acts that few random ones have. */
const EXAMPLES: readonly Given[] = [
  { ...plain, steps: at([0, ticket("close", 3)], [45_000, ticket("reopen", 3)]) },
  { ...plain, steps: at([9_000, ticket("branch", 0)]) },
  { ...plain, steps: at([0, { do: "base" }]) },
  { ...plain, steps: at([0, { do: "away" }], [0, ticket("close", 0)], [130_000, { do: "away" }]) },
  { ...plain, steps: at([0, { do: "away" }], [130_000, { do: "base" }], [0, ticket("retitle", 0)]) },
  { ...plain, steps: at([0, { do: "both", which: 3, other: 0, state: "close", words: "rewrite" }]) },
  { ...plain, steps: at([0, { do: "both", which: 3, other: 0, state: "gate", words: "retitle" }]) },
  // The engine is killed between the two facts of one look.
  {
    ...plain,
    steps: at([0, { do: "kill", after: 1 }], [0, { do: "both", which: 0, other: 0, state: "close", words: "retitle" }]),
  },
  {
    ...plain,
    steps: at([0, ticket("close", 3)], [45_000, { do: "both", which: 3, other: 1, state: "reopen", words: "depend" }]),
  },
  {
    ...plain,
    steps: at([0, ticket("depend", 1, 2)], [0, ticket("close", 1)], [0, ticket("rewrite", 1)]),
    deps: [false, false, true, false],
  },
];

/** The acts that runs had to show, so that no property holds of nothing. */
const KINDS = ["closed", "reopened", "gated", "rewritten", "dependencies", "vanished", "returned", "branch", "base"];
const seenKinds = new Set<string>();

/** The command that plays a failing run again, alone. */
function again({ seed, counterexamplePath }: { readonly seed: number; readonly counterexamplePath: string | null }): string {
  return `LOOPDASH_PEOPLE_SEED=${seed} LOOPDASH_PEOPLE_PATH=${counterexamplePath ?? ""} npx vitest run test/loop/people.property.test.ts`;
}

test("whatever people do, trackers lose and live checks say: no false done, no act lost or counted twice, and an end", async () => {
  const { LOOPDASH_PEOPLE_SEED: seed, LOOPDASH_PEOPLE_PATH: path } = process.env;
  const once = seed === undefined ? {} : { seed: Number(seed), path: path ?? "", endOnFailure: true };
  const details = await fc.check(fc.asyncProperty(given, play), {
    numRuns: RUNS,
    examples: EXAMPLES.map((example): [Given] => [example]),
    ...once,
  });
  if (details.failed)
    throw new Error(`${fc.defaultReportMessage(details)}\n\nagain: ${again(details)}`, { cause: details.errorInstance });
  if (seed === undefined) expect([...seenKinds].toSorted()).toEqual(KINDS.toSorted());
}, 600_000);
