import fc from "fast-check";
import { countIntervention, type Intervention } from "../../../src/domain/results/intervention.ts";
import type { RunEvent } from "../../../src/domain/run/event.ts";
import { ticketBranch } from "../../../src/domain/run/kept-work.ts";
import { ticketById as stateOf } from "../../../src/domain/run/state.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { RUN } from "./engine.ts";
import type { FakeTicket } from "./fake-tracker.ts";
import type { World } from "./world.ts";

const which = fc.nat(3);
/** An act that sets a ticket's state, and one that leaves its state: a person may do both before anybody looks. */
const settling = fc.constantFrom("close" as const, "reopen" as const, "gate" as const);
const wording = fc.constantFrom("retitle" as const, "rewrite" as const, "depend" as const);
/** An act of people, of the world around a run, or a `kill -9` of its engine. */
export const act = fc.oneof(
  fc.record({
    do: fc.constantFrom(...(["close", "reopen", "gate", "retitle", "rewrite", "depend", "delete", "restore", "branch"] as const)),
    which,
    other: which,
  }),
  fc.record({ do: fc.constant("both" as const), which, other: which, state: settling, words: wording }),
  fc.record({ do: fc.constant("base" as const) }),
  fc.record({ do: fc.constantFrom("away" as const, "back" as const) }),
  fc.record({ do: fc.constant("kill" as const), after: fc.nat(30) }),
);
export type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;
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
export class People {
  readonly #world: World;
  readonly did: string[] = [];
  /** Commits of theirs. */
  readonly commits: string[] = [];
  readonly #gone = new Map<TicketId, FakeTicket>();
  /** Where the journal was when a ticket was closed or reopened last, by act. */
  readonly #settled = new Map<string, number>();

  #kills = 0;

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
   * What the engine had to see. A person who sets a ticket to a state while the tracker is away, or the engine is gone, and the engine
   * was about to set the same, does what the engine does: nobody can tell whose it was.
   */
  get toSee(): readonly string[] {
    const agreed = [...this.#settled].filter(([line, since]) => {
      const [id, how] = line.split(" ");
      const as = how === "closed" ? "done" : "open";
      const { events } = this.#world;
      const isWrite = (e: RunEvent) => e.type === "tracker-writing" && e.ticket === id && e.state.as === as;
      const before = events
        .slice(0, since)
        .findLast((e) => isWrite(e) || ((e.type === "tracker-written" || e.type === "tracker-not-written") && e.ticket === id));
      const ours = events.slice(since).some(isWrite) || before?.type === "tracker-writing";
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
    if (next.do === "kill") return this.#kill(next.after);
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

  /**
   * The engine is killed once so many further events are written. One that is lost while it captures work moves the ticket's branch
   * without a record: nobody can tell that from a person's commit, so there is none meanwhile.
   */
  #kill(after: number): void {
    const isSeen = this.did.every((line) => !line.includes(" branch ") || this.seen.includes(line));
    if (!isSeen || this.#isDying) return;
    this.#kills += 1;
    if (after === 0) this.#world.kill();
    else this.#world.killAfter(after);
  }

  get #isDying(): boolean {
    return this.#kills > this.#world.events.filter(({ type }) => type === "run-resumed").length;
  }

  #branch(id: TicketId): void {
    const branches = [...this.#world.repo.refs.keys()].filter(
      (name) => name.startsWith(ticketBranch(RUN, id)) && !name.includes("person"),
    );
    const [branch] = branches;
    // A branch that a lost engine made without a record is nobody's.
    const known = stateOf(this.#world.state, id).branches?.tips ?? {};
    if (branch === undefined || this.#isDying || known[branch] === undefined) return;
    const sha = this.#world.repo.commitByPerson(branch, this.did.length);
    this.did.push(`${id} branch ${sha.slice(0, 8)}`);
    this.commits.push(sha);
  }

  #write(id: TicketId, next: Extract<Act, { which: number }>): void {
    const { tracker } = this.#world;
    if (next.do === "both") return this.#writeBoth(id, next);
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
    this.#did(id, changed.kind);
    tracker.write(id, { ...now, ...changed.ticket });
  }

  /** Two acts on one ticket in one write. */
  #writeBoth(id: TicketId, { state, words, other }: Extract<Act, { do: "both" }>): void {
    const { tracker } = this.#world;
    let now = tracker.tickets.get(id);
    if (now === undefined) return;
    for (const one of [state, words]) {
      const changed = this.#changed(id, now, { do: one, other });
      if (changed === undefined) continue;
      this.#did(id, changed.kind);
      now = { ...now, ...changed.ticket };
    }
    tracker.write(id, now);
  }

  #did(id: TicketId, kind: string): void {
    this.did.push(`${id} ${kind}`);
    if (kind === "closed" || kind === "reopened") this.#settled.set(`${id} ${kind}`, this.#world.events.length);
  }

  /** What the act makes of a ticket, and what it is called; undefined if it changes nothing. */
  #changed(
    id: TicketId,
    now: FakeTicket,
    next: { readonly do: Act["do"]; readonly other: number },
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

/** The class of a change of a ticket, by the documentation. To take the step of a gated ticket is none. */
function classOf(change: string, gate: "ours" | "theirs" | undefined): "I1" | "I7" | undefined {
  if (gate !== undefined && change === "closed") return undefined;
  return gate === "ours" && change === "reopened" ? "I1" : "I7";
}

/** The interventions that the documentation counts for these facts: one per class and target in ten minutes. */
export function counted(world: World): readonly Intervention[] {
  const gates = new Map<string, "ours" | "theirs">();
  return actsOf(world).reduce<readonly Intervention[]>((list, event) => {
    const { at } = event;
    if (event.type === "tracker-written") {
      if (event.state.as === "human-gated") gates.set(event.ticket, "ours");
      else gates.delete(event.ticket);
    }
    if (event.type === "tracker-drifted") {
      const kind = classOf(event.change.kind, gates.get(event.ticket));
      if (event.change.kind === "gated") gates.set(event.ticket, "theirs");
      else if (event.change.kind === "closed" || event.change.kind === "reopened") gates.delete(event.ticket);
      return kind === undefined ? list : countIntervention(list, { at, class: kind, target: event.ticket, note: "" });
    }
    if (event.type === "branch-commits-observed")
      return countIntervention(list, { at, class: "I4", target: event.ticket, note: "" });
    return event.type === "act-observed" || event.type === "intervention"
      ? countIntervention(list, { at, class: event.class, target: event.target, note: "" })
      : list;
  }, []);
}
