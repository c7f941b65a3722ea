import { isAllowedToJudge } from "@loopdash/test-evidence";
import { type Origin, upTo, withTrusted } from "../../domain/run/landings.ts";
import { repoLandings } from "../../domain/run/reduce-base.ts";
import type { ChangedPath, Repo } from "../../ports/vcs.ts";
import type { Built, StepContext } from "./step.ts";

/**
 * The origin of trust below a candidate: the first base of the run, below all landed tickets, or the candidate's own base if that is
 * the first one. A candidate may stand on others that have not landed yet: the engine knows them by how it built them.
 */
export function originBelow(
  ctx: Pick<StepContext, "proofs" | "state">,
  repo: Pick<Repo, "id">,
  { base }: Pick<Built, "base">,
): Origin {
  const landings = repoLandings(ctx.state(), repo.id);
  const pending = [];
  let at = base;
  for (let built = ctx.proofs.built(at); built !== undefined; built = ctx.proofs.built(at)) {
    if (at === landings?.last || at === landings?.first) break;
    pending.unshift({ from: built.from, to: at, only: built.allow ?? {} });
    at = built.from;
  }
  const start = landings === undefined || at === landings.first ? { first: at, trusted: [] } : upTo(landings, at);
  return pending.reduce<Origin>(withTrusted, start);
}

/** The end of a span, and the paths that it touches and may touch. */
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
    const spans: TouchedSpan[] = [];
    for (const { from, to, only } of origin.trusted) {
      const paths = (await repo.change({ from, tip: to })).paths.map(({ path }) => path);
      if (only === undefined) {
        spans.push({ to, paths: new Set(paths) });
        continue;
      }
      const may = paths.filter((path) => isAllowedToJudge(only, path));
      const known = new TrustedFiles(repo, origin, spans.slice());
      const lines = new Set((await known.changedIn(from)).map(({ path }) => path));
      // Permission to change a file does not cover what others have put there. A file that is no part of the change was shown whole.
      const whole = (only.files ?? []).filter((path) => !paths.includes(path));
      spans.push({ to, paths: new Set([...may.filter((path) => !lines.has(path)), ...whole]) });
    }
    return new TrustedFiles(repo, origin, spans);
  }

  /** The paths that trusted spans have changed. */
  get touched(): readonly string[] {
    return [...new Set(this.#spans.flatMap(({ paths }) => [...paths]))];
  }

  /** The existing paths. */
  async paths(): Promise<readonly string[]> {
    const files = new Set(await this.#repo.files(this.#origin.first));
    for (const { to, paths } of this.#spans) {
      const there = new Set(await this.#repo.files(to));
      for (const path of paths) if (there.has(path)) files.add(path);
      for (const path of paths) if (!there.has(path)) files.delete(path);
    }
    return [...files];
  }

  /** The paths that differ in a commit. */
  async changedIn(commit: string): Promise<readonly ChangedPath[]> {
    const { first, trusted } = this.#origin;
    const changed: ChangedPath[] = [];
    for (const from of new Set([first, ...trusted.map(({ to }) => to)])) {
      const { paths } = await this.#repo.change({ from, tip: commit });
      changed.push(...paths.filter(({ path }) => this.#originCommit(path) === from));
    }
    return changed;
  }

  async texts(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const texts: [string, string][] = [];
    for (const { commit, paths: own } of this.byCommit(paths))
      texts.push(...(await this.#repo.readFiles({ commit, paths: own })));
    return new Map(texts);
  }

  /** Paths by the commit that has the trusted version of them. */
  byCommit(paths: readonly string[]): readonly { readonly commit: string; readonly paths: readonly string[] }[] {
    return [...Map.groupBy(paths, (path) => this.#originCommit(path))].map(([commit, own]) => ({ commit, paths: own }));
  }

  #originCommit(path: string): string {
    return this.#spans.findLast(({ paths }) => paths.has(path))?.to ?? this.#origin.first;
  }
}
