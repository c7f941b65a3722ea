import fc from "fast-check";
import { expect, test } from "vitest";
import type { Ticket } from "../../src/domain/batch/schema.ts";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import { countIntervention, type Intervention } from "../../src/domain/results/intervention.ts";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { ticketBranch } from "../../src/domain/run/kept-work.ts";
import { ticketOf as stateOf } from "../../src/domain/run/state.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import { vecItems } from "../../src/domain/values/vec.ts";
import { batchOf, ticketOf } from "../domain/simulate.ts";
import { judgeBy } from "./honest-oracle.ts";
import { RUN } from "./world/engine.ts";
import type { FakeTicket } from "./world/fake-tracker.ts";
import { World } from "./world/world.ts";

/** Runs in CI, and with LOOPDASH_PEOPLE_RUNS=5000 for longer. */
const RUNS = Number(process.env["LOOPDASH_PEOPLE_RUNS"] ?? 300);
/** Hours of the world's clock after which a run that goes on will not end. */
const LONGEST_HOURS = 12;

const which = fc.nat(3);
const act = fc.oneof(
  fc.record({
    do: fc.constantFrom(...(["close", "reopen", "gate", "retitle", "rewrite", "depend", "delete", "restore", "branch"] as const)),
    which,
    other: which,
  }),
  fc.record({ do: fc.constant("base" as const) }),
  fc.record({ do: fc.constantFrom("away" as const, "back" as const) }),
);
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;
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

/** The events of a run, without the one that takes dependencies which were refused and counted before. */
function actsOf({ events }: World): readonly RunEvent[] {
  const refused = new Map<string, string>();
  return events.filter((event) => {
    if (event.type !== "tracker-drifted" || event.change.kind !== "dependencies") return true;
    const list = event.change.dependsOn.toSorted().join(" ");
    const isTakenLater = event.change.refused === undefined && refused.get(event.ticket) === list;
    if (event.change.refused === undefined) refused.delete(event.ticket);
    else refused.set(event.ticket, list);
    return !isTakenLater;
  });
}

/** What people did, as the journal should tell it: `T-1 closed`. */
class People {
  readonly #world: World;
  readonly did: string[] = [];
  /** Commits of theirs. */
  readonly commits: string[] = [];
  readonly #gone = new Map<TicketId, FakeTicket>();
  /** Where the journal was when a ticket was closed or reopened last, by act. */
  readonly #settled = new Map<string, number>();

  constructor(world: World) {
    this.#world = world;
  }

  /** What the engine has seen so far, in the same words. */
  get seen(): string[] {
    return actsOf(this.#world).flatMap((event) => {
      if (event.type === "tracker-drifted") return [`${event.ticket} ${event.change.kind}`];
      if (event.type === "branch-commits-observed") return [`${event.ticket} branch ${event.sha.slice(0, 8)}`];
      return event.type === "act-observed" ? [`base ${/: ([0-9a-f]{7}) by/.exec(event.note)?.[1] ?? event.note}`] : [];
    });
  }

  /**
   * What the engine had to see. A person who sets a ticket to a state while the tracker is away, and the engine is about to set the
   * same, does what the engine does: nobody can tell whose it was.
   */
  get toSee(): readonly string[] {
    const agreed = [...this.#settled].filter(([line, since]) => {
      const [id, how] = line.split(" ");
      const as = how === "closed" ? "done" : "open";
      const ours = this.#world.events
        .slice(since)
        .some((e) => e.type === "tracker-writing" && e.ticket === id && e.state.as === as);
      return ours && !this.#isSeen(line);
    });
    const lines = agreed.map(([line]) => line);
    return this.did.filter((line, n) => !(lines.includes(line) && this.did.lastIndexOf(line) === n));
  }

  /** True if everything that people did to this target was seen: two acts between two looks are one. */
  #isSeen(target: string): boolean {
    const about = (list: readonly string[]) => list.filter((line) => line === target || line.startsWith(`${target} `)).length;
    return about(this.did) === about(this.seen);
  }

  act(next: Act): void {
    const { tracker } = this.#world;
    if (next.do === "away" || next.do === "back") return tracker.setAway(next.do === "away");
    if (!("which" in next)) return this.#base();
    const id = TicketId.parse(`T-${next.which}`);
    if (!this.#isSeen(id)) return;
    if (next.do === "branch") return this.#branch(id);
    this.#write(id, next);
  }

  /** Everything is as it has to be for the run to end. */
  calmDown(): void {
    this.#world.tracker.setAway(false);
    for (const [id, ticket] of this.#gone) {
      // A ticket that is away for less than a look is one whose file an editor replaces.
      const line = `${id} vanished`;
      if (this.#isSeen(line)) this.did.push(`${id} returned`);
      else this.did.splice(this.did.lastIndexOf(line), 1);
      this.#world.tracker.write(id, ticket);
    }
  }

  #base(): void {
    if (!this.#isSeen("base")) return;
    const sha = this.#world.repo.commitByPerson("main", this.did.length);
    this.did.push(`base ${sha.slice(0, 7)}`);
    this.commits.push(sha);
  }

  #branch(id: TicketId): void {
    const branches = [...this.#world.repo.refs.keys()].filter(
      (name) => name.startsWith(ticketBranch(RUN, id)) && !name.includes("person"),
    );
    const [branch] = branches;
    if (branch === undefined) return;
    const sha = this.#world.repo.commitByPerson(branch, this.did.length);
    this.did.push(`${id} branch ${sha.slice(0, 8)}`);
    this.commits.push(sha);
  }

  #write(id: TicketId, next: Extract<Act, { which: number }>): void {
    const { tracker } = this.#world;
    const now = tracker.tickets.get(id);
    if (next.do === "restore") {
      const before = this.#gone.get(id);
      if (now !== undefined || before === undefined) return;
      this.#gone.delete(id);
      this.did.push(`${id} returned`);
      return tracker.write(id, before);
    }
    if (now === undefined) return;
    if (next.do === "delete") {
      if (tracker.tickets.size <= 1) return;
      this.#gone.set(id, now);
      this.did.push(`${id} vanished`);
      return tracker.write(id, undefined);
    }
    const changed = this.#changed(id, now, next);
    if (changed === undefined) return;
    this.did.push(`${id} ${changed.kind}`);
    if (changed.kind === "closed" || changed.kind === "reopened")
      this.#settled.set(`${id} ${changed.kind}`, this.#world.events.length);
    tracker.write(id, { ...now, ...changed.ticket });
  }

  /** What the act makes of a ticket, and what it is called; undefined if it changes nothing. */
  #changed(
    id: TicketId,
    now: FakeTicket,
    next: Extract<Act, { which: number }>,
  ): { readonly kind: string; readonly ticket: Partial<FakeTicket> } | undefined {
    switch (next.do) {
      case "close":
        return now.state.as === "done" ? undefined : { kind: "closed", ticket: { state: { as: "done" } } };
      case "reopen":
        return now.state.as === "open" ? undefined : { kind: "reopened", ticket: { state: { as: "open" } } };
      case "gate":
        if (now.state.as === "human-gated") return undefined;
        return { kind: "gated", ticket: { state: { as: "human-gated", step: "ask Jo" } } };
      case "retitle":
        return { kind: "rewritten", ticket: { title: `${now.title}!` } };
      case "rewrite":
        return { kind: "rewritten", ticket: { body: `${now.body}!` } };
      case "depend": {
        const other = TicketId.parse(`T-${next.other}`);
        // An edge to a later ticket may be a cycle, and is refused with a line.
        // To take back what was refused changes nothing.
        if (other === id || stateOf(this.#world.state, id).tracked?.refused !== undefined) return undefined;
        const has = now.dependsOn.includes(other);
        return {
          kind: "dependencies",
          ticket: { dependsOn: has ? now.dependsOn.filter((dep) => dep !== other) : [...now.dependsOn, other] },
        };
      }
      default:
        return undefined;
    }
  }
}

/** The interventions that the documentation counts for these facts: one per class and target in ten minutes. */
function counted(world: World): readonly Intervention[] {
  return actsOf(world).reduce<readonly Intervention[]>((list, event) => {
    const { at } = event;
    if (event.type === "tracker-drifted") return countIntervention(list, { at, class: "I7", target: event.ticket, note: "" });
    if (event.type === "branch-commits-observed")
      return countIntervention(list, { at, class: "I4", target: event.ticket, note: "" });
    return event.type === "act-observed"
      ? countIntervention(list, { at, class: event.class, target: event.target, note: "" })
      : list;
  }, []);
}

async function play(input: Given): Promise<void> {
  const world = new World({ batch: batchFor(input), agents: input.agents, verifies: input.verifies });
  const people = new People(world);
  await world.start();
  for (const { wait: ms, act: next } of input.steps) {
    await world.pass(ms);
    // What is done after the last look at everything is not part of the run.
    if (world.state.stage !== "working") continue;
    people.act(next);
    await world.settle();
  }
  people.calmDown();
  await world.settle();
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
const ticket = (what: Extract<Act, { which: number }>["do"], n: number, other = 0) => ({ do: what, which: n, other });
const at = (...acts: readonly (readonly [number, Act])[]) => acts.map(([ms, next]) => ({ wait: ms, act: next }));

/** Sequences in which an act was once lost or counted twice. */
const EXAMPLES: readonly Given[] = [
  { ...plain, steps: at([0, { do: "base" }]) },
  { ...plain, steps: at([0, { do: "away" }], [0, ticket("close", 0)], [130_000, { do: "away" }]) },
  { ...plain, steps: at([0, { do: "away" }], [130_000, { do: "base" }], [0, ticket("retitle", 0)]) },
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
