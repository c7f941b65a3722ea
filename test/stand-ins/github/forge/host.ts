import { join } from "node:path";
import type { Issue, Repo, State } from "../state.ts";
import { repoOf } from "../state.ts";
import type { ForgeRepo, Pull } from "./model.ts";

/** What the parts of the forge share. */
export interface Host {
  /** The state of now, which may be changed. */
  readonly state: () => State;
  readonly now: () => number;
  /** Keeps the state for stale reads: called before each change. */
  readonly remember: () => void;
  /** Called after each change, so that who waits can look again. */
  readonly changed: () => void;
  /** The folder of the bare repositories. */
  readonly root: () => string;
  /** Something that the stand-in itself did wrong. */
  readonly mistake: (error: unknown) => void;
}

/** A repository that has git. */
export interface Found {
  readonly repo: Repo;
  readonly forge: ForgeRepo;
  /** Its bare git repository. */
  readonly folder: string;
}

/** A repository with git; undefined if there is none of that name, or if it has issues only. */
export function forgeOf(state: State, root: string, fullName: string): Found | undefined {
  const repo = repoOf(state, fullName);
  if (repo?.forge === undefined) return undefined;
  return { repo, forge: repo.forge, folder: join(root, `${repo.fullName}.git`) };
}

/** As `forgeKind`, for callers that know that it is there. */
export function liveForge(host: Host, fullName: string): Found {
  const found = forgeOf(host.state(), host.root(), fullName);
  if (found === undefined) throw new Error(`the stand-in has no repository ${fullName} with git`);
  return found;
}

export function pullOf({ forge }: { readonly forge: ForgeRepo }, number: number): Pull {
  const found = forge.pulls.find((each) => each.number === number);
  if (found === undefined) throw new Error(`there is no pull request ${number}`);
  return found;
}

/** The issue that holds a pull request's title, text, state and comments. */
export function issueOfPull(repo: Repo, { number }: Pull): Issue {
  const found = repo.issues.find((each) => each.number === number);
  if (found === undefined) throw new Error(`there is no issue for the pull request ${number}`);
  return found;
}
