import { type Origin, upTo, withTrusted } from "../../domain/run/landings.ts";
import { landingsOf } from "../../domain/run/reduce-landing.ts";
import type { ChangedPath, Repo } from "../../ports/vcs.ts";
import type { PassedCheck } from "./passed-check.ts";

/** An origin with the candidate's own changes, if its ticket may change how tests are run. */
function withOwn(origin: Origin, { candidate, allow }: PassedCheck): Origin {
  return allow.configuration === true ? withTrusted(origin, { from: candidate.base, to: candidate.commit }) : origin;
}

/** The candidate's own base as the origin of trust. */
export function ownOrigin(check: PassedCheck): Origin {
  const { base } = check.candidate;
  return { first: base, trusted: check.allow.configuration === true ? [{ from: base, to: check.candidate.commit }] : [] };
}

/**
 * The first base of the run, below all landed tickets. A candidate may stand on others that have not landed yet: the engine knows
 * them by how it built them. Undefined if the candidate's own base is that first one.
 */
export function firstOrigin(check: PassedCheck): Origin | undefined {
  const { ctx, repo, candidate } = check;
  const landings = landingsOf(ctx.state(), repo.id);
  const pending = [];
  let at = candidate.base;
  for (let built = ctx.testCanaries.built(at); built !== undefined; built = ctx.testCanaries.built(at)) {
    if (at === landings?.last || at === landings?.first) break;
    pending.unshift({ ...built, to: at });
    at = built.from;
  }
  const start = landings === undefined || at === landings.first ? { first: at, trusted: [] } : upTo(landings, at);
  const origin = pending.reduce<Origin>(
    (before, { isTrusted, ...span }) => (isTrusted ? withTrusted(before, span) : before),
    start,
  );
  return origin.first === candidate.base ? undefined : withOwn(origin, check);
}

/** The end of a span, and the paths that it touches. */
interface TouchedSpan {
  readonly to: string;
  readonly paths: ReadonlySet<string>;
}

/** Trusted files of an origin: as its first commit has them, or as the last commit does that may change them. */
export class TrustedFiles {
  readonly #repo: Repo;
  readonly #origin: Origin;
  readonly #spans: readonly TouchedSpan[];

  private constructor(repo: Repo, origin: Origin, spans: readonly TouchedSpan[]) {
    this.#repo = repo;
    this.#origin = origin;
    this.#spans = spans;
  }

  static async read(repo: Repo, origin: Origin): Promise<TrustedFiles> {
    const spans = [];
    for (const { from, to } of origin.trusted) {
      const { paths } = await repo.change({ from, tip: to });
      spans.push({ to, paths: new Set(paths.map(({ path }) => path)) });
    }
    return new TrustedFiles(repo, origin, spans);
  }

  /** The existing paths, and perhaps some that do not exist. */
  async paths(): Promise<readonly string[]> {
    const first = await this.#repo.files(this.#origin.first);
    return [...new Set([...first, ...this.#spans.flatMap(({ paths }) => [...paths])])];
  }

  /** The paths that differ in a commit. */
  async changedIn(commit: string): Promise<readonly ChangedPath[]> {
    const { first, trusted } = this.#origin;
    const changed: ChangedPath[] = [];
    for (const from of new Set([first, ...trusted.map(({ to }) => to)])) {
      const { paths } = await this.#repo.change({ from, tip: commit });
      changed.push(...paths.filter(({ path }) => this.#commitOf(path) === from));
    }
    return changed;
  }

  async texts(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const texts: [string, string][] = [];
    for (const [commit, own] of Map.groupBy(paths, (path) => this.#commitOf(path)))
      texts.push(...(await this.#repo.readFiles({ commit, paths: own })));
    return new Map(texts);
  }

  #commitOf(path: string): string {
    return this.#spans.findLast(({ paths }) => paths.has(path))?.to ?? this.#origin.first;
  }
}
