import type { RunEvent } from "../../src/domain/run/event.ts";
import type { TicketId } from "../../src/domain/values/ids.ts";
import type { PersonAct, RealIssue } from "./service-side.ts";

/** The states in which a ticket was, one after another. */
interface Moment {
  readonly at: number;
  readonly state: RealIssue["state"];
  readonly by: "person" | "loopdash" | "nobody";
  /** Events that were in the journal. */
  readonly events: number;
}

/** What a witness may look at. */
export interface Scene {
  now(): number;
  issues(): ReadonlyMap<number, RealIssue>;
  events(): readonly RunEvent[];
  /** The id of the ticket that an issue is, if it is one. */
  ticketOf(issue: number, real: RealIssue): TicketId | undefined;
  /** When the adapter's present write began; undefined if none is under way. */
  writingSince(): number | undefined;
  /** The age of the oldest reading. Milliseconds. */
  readonly mostLagMs: number;
}

/** How a person's act on a ticket's state is called in the journal. */
const CALLED: Readonly<Record<RealIssue["state"], string>> = { done: "closed", open: "reopened", "human-gated": "gated" };

/**
 * Watches the stand-in's own world during a run. It knows what people did, because it does it for them; everything else was
 * loopdash. It notes what loopdash must never do at the moment at which it does it.
 */
export class Witness {
  readonly problems: string[] = [];
  readonly #scene: Scene;
  readonly #moments = new Map<number, Moment[]>();
  /** Comments, titles and bodies that people wrote last. */
  readonly #words = new Map<number, { readonly title?: string; readonly body?: string; readonly comments: readonly string[] }>();

  constructor(scene: Scene) {
    this.#scene = scene;
    this.#look("nobody");
  }

  /** Looks at what loopdash did since the last look. */
  look(): void {
    this.#look("loopdash");
  }

  /** A person acts. */
  person(issue: number, act: PersonAct, doIt: () => void): void {
    this.look();
    doIt();
    const { comments = [], ...words } = this.#words.get(issue) ?? {};
    const own = { ...words, comments };
    if (act.do === "retitle") this.#words.set(issue, { ...own, title: act.text });
    if (act.do === "rewrite") this.#words.set(issue, { ...own, body: act.text });
    if (act.do === "comment") this.#words.set(issue, { ...own, comments: [...comments, act.text] });
    if (act.do === "gate") this.#words.set(issue, { ...own, comments: [...comments, `Human step: ${act.step}`] });
    this.#look("person");
  }

  /** True if the issue was settled at an instant from `since` on. */
  wasSettledSince(issue: number, since: number): boolean {
    const moments = this.#moments.get(issue) ?? [];
    return moments.some(({ state }, at) => state !== "open" && (moments[at + 1]?.at ?? Number.POSITIVE_INFINITY) >= since);
  }

  /** The last change of an issue's state. */
  last(issue: number): Moment | undefined {
    return this.#moments.get(issue)?.at(-1);
  }

  /** What people wrote and is not there any more. */
  lostWords(): readonly string[] {
    const real = this.#scene.issues();
    return [...this.#words].flatMap(([number, { title, body, comments }]) => {
      const now = real.get(number);
      if (now === undefined) return [`issue ${number} is gone`];
      return [
        ...(title !== undefined && now.title !== title ? [`the title that a person gave issue ${number} was overwritten`] : []),
        ...(body !== undefined && now.body !== body ? [`the text that a person gave issue ${number} was overwritten`] : []),
        ...comments.flatMap((each) =>
          now.others.includes(each) ? [] : [`a person's comment on issue ${number} is gone: ${each}`],
        ),
      ];
    });
  }

  #look(by: Moment["by"]): void {
    const at = this.#scene.now();
    for (const [number, real] of this.#scene.issues()) {
      const moments = this.#moments.get(number) ?? [];
      const before = moments.at(-1);
      if (before?.state === real.state) continue;
      const moment = { at, state: real.state, by, events: this.#scene.events().length };
      this.#moments.set(number, [...moments, moment]);
      if (by === "loopdash" && before !== undefined) this.#judge(number, real, before);
    }
  }

  /** Loopdash has just changed the state of an issue. */
  #judge(number: number, real: RealIssue, before: Moment): void {
    const id = this.#scene.ticketOf(number, real);
    if (id === undefined) return;
    const events = this.#scene.events();
    const has = (match: (event: RunEvent) => boolean, from = 0) => events.slice(from).some(match);
    if (real.state === "done" && !has((event) => event.type === "merge-landed" && event.ticket === id))
      this.problems.push(`false done: loopdash set ${id} to done, and nothing of it has landed`);
    if (before.by !== "person" || this.#isUnseeable(before) || this.#knownState(number, id) === before.state) return;
    const kind = CALLED[before.state];
    this.problems.push(`overwritten: a person ${kind} ${id}, and loopdash set it to ${real.state} without counting that`);
  }

  /**
   * The state of an issue that loopdash knew before its last change: the last one that it counted, or knows to have made. Two acts
   * between two looks are one, and so is a write whose answer was lost with what a person does right after it.
   */
  #knownState(number: number, id: TicketId): RealIssue["state"] | undefined {
    const isOnRecord = ({ by, events, state }: Moment): boolean =>
      by === "nobody" ||
      this.#scene
        .events()
        .slice(events)
        .some((e) => {
          if (by === "loopdash") return e.type === "tracker-written" && e.ticket === id && e.state.as === state;
          return e.type === "tracker-drifted" && e.ticket === id && e.change.kind === CALLED[state];
        });
    return (this.#moments.get(number) ?? []).slice(0, -1).findLast(isOnRecord)?.state;
  }

  /** True if a person acted so late that no reading of the write could show it: services have no write on a condition. */
  #isUnseeable({ at }: Moment): boolean {
    const since = this.#scene.writingSince();
    return since === undefined || at >= since - this.#scene.mostLagMs;
  }
}
