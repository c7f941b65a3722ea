import type { RunEvent } from "../../src/domain/run/event.ts";
import { issueOfPull } from "../stand-ins/github/forge/host.ts";
import type { ForgeRepo, Pull } from "../stand-ins/github/forge/model.ts";
import type { GitHubStandIn } from "../stand-ins/github/server.ts";
import type { Comment } from "../stand-ins/github/state.ts";

interface StoryPull {
  /** The full name of its repository. */
  readonly repo: string;
  readonly ticket: string;
  readonly pull: Pull;
}

/** The story of the example by pull requests: by the journal's events, and by the stand-in of GitHub. */
export class ForgeStory {
  readonly #standIn: GitHubStandIn;
  readonly #events: readonly RunEvent[];

  constructor(standIn: GitHubStandIn, events: readonly RunEvent[]) {
    this.#standIn = standIn;
    this.#events = events;
  }

  /** The events of this type. */
  of<T extends RunEvent["type"]>(type: T): Extract<RunEvent, { type: T }>[] {
    return this.#events.filter((event): event is Extract<RunEvent, { type: T }> => event.type === type);
  }

  /** The summaries of a ticket's failed steps. */
  evidenceOf(ticket: string): readonly string[] {
    return this.of("step-ended").flatMap((event) => (!event.ok && event.ticket === ticket ? [event.summary] : []));
  }

  /** The commits that were pushed for a ticket, in order. */
  headsOf(ticket: string): readonly string[] {
    return this.of("pull-request-intended").flatMap((event) => (event.ticket === ticket ? [event.head] : []));
  }

  get pulls(): readonly StoryPull[] {
    return this.#standIn.state.repos.flatMap(({ fullName, forge }) =>
      (forge?.pulls ?? []).map((pull) => ({ repo: fullName, ticket: pull.headRef.split("/").at(-1) ?? "", pull })),
    );
  }

  pullOf(ticket: string): Pull {
    return this.#one(ticket).pull;
  }

  commentsOn(ticket: string): readonly Comment[] {
    const { repo: fullName, pull } = this.#one(ticket);
    const repo = this.#standIn.state.repos.find((each) => each.fullName === fullName);
    return repo === undefined ? [] : issueOfPull(repo, pull).comments;
  }

  /** The conclusions of each job's runs on a commit, in order. */
  outcomes(repo: string, sha: string): Readonly<Record<string, readonly (string | null)[]>> {
    const jobs = this.#forge(repo).ciJobs.filter((job) => job.sha === sha);
    const byName = Map.groupBy(jobs, ({ name }) => name);
    return Object.fromEntries([...byName].map(([name, runs]) => [name, runs.map(({ conclusion }) => conclusion)]));
  }

  /** The conclusion of each job's last run on a commit. */
  results(repo: string, sha: string): Readonly<Record<string, string | null | undefined>> {
    return Object.fromEntries(Object.entries(this.outcomes(repo, sha)).map(([name, all]) => [name, all.at(-1)]));
  }

  /** What has started the jobs of a commit. */
  eventsOn(repo: string, sha: string): readonly string[] {
    return this.#forge(repo)
      .runs.filter((run) => run.sha === sha)
      .map(({ event }) => event);
  }

  #forge(fullName: string): ForgeRepo {
    const found = this.#standIn.state.repos.find((repo) => repo.fullName === fullName)?.forge;
    if (found === undefined) throw new Error(`there is no repository ${fullName}`);
    return found;
  }

  #one(ticket: string): StoryPull {
    const found = this.pulls.find((each) => each.ticket === ticket);
    if (found === undefined) throw new Error(`${ticket} has no pull request`);
    return found;
  }
}
