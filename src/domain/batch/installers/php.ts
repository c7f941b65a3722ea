import { objectMembers } from "@loopdash/values";
import { basename, type Installer, readCommandLine } from "./command-line.ts";

/** Repositories of these types are clones, if their address is one of a host (https://getcomposer.org/doc/05-repositories.md). */
const VCS = new Set(["vcs", "git", "github", "gitlab", "git-bitbucket", "forgejo", "hg", "svn", "fossil"]);
/** Addresses of hosts. Everything else is a path. */
const REMOTE = /^(?:https|ssh|git):\/\/|^[\w.-]+@[\w.-]+:/i;

const LOCAL = "names a folder or an archive of the repository";

/** The reason why composer.json or composer.lock has composer read more of the repository than themselves. */
function composerTrouble(name: string, text: string): string | undefined {
  const found = parsed(text);
  if (found === undefined) return "is not valid JSON";
  if (name === "composer.json") {
    const repositories = Object.values(objectMembers(found["repositories"]));
    return repositories.every(isRemoteRepository) ? undefined : LOCAL;
  }
  const packages = ["packages", "packages-dev"].flatMap((key) => Object.values(objectMembers(found[key])));
  return packages.every((each) => ["dist", "source"].every((key) => isRemote(objectMembers(each)[key]))) ? undefined : LOCAL;
}

/** False also for what the manifest describes itself: its archives may lie anywhere. */
function isRemoteRepository(repository: unknown): boolean {
  if (repository === false) return true;
  const { type, url, ...others } = objectMembers(repository);
  // {"packagist.org": false} turns one off.
  if (type === undefined && url === undefined) return Object.values(others).every((each) => each === false);
  if (typeof type !== "string" || typeof url !== "string") return false;
  return type === "composer" ? /^https:\/\//i.test(url) : VCS.has(type) && REMOTE.test(url);
}

/** True if a package has nothing of this kind to fetch, or it comes from a host. */
function isRemote(origin: unknown): boolean {
  if (origin === undefined || origin === null) return true;
  const { type, url } = objectMembers(origin);
  return type !== "path" && typeof url === "string" && REMOTE.test(url);
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return objectMembers(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** `composer install`. */
export const COMPOSER: Installer = {
  names: ["composer.json", "composer.lock", "auth.json"],
  programs: ["php"],
  parse(args) {
    const flags = /^(?:-n|-q|--(?:no-scripts|no-plugins|no-interaction|no-progress|no-dev|prefer-dist|quiet|no-ansi))$/;
    const line = readCommandLine(args, { flags });
    const runsNothingElse = ["--no-scripts", "--no-plugins"].every((word) => args.includes(word));
    return runsNothingElse && line?.words.join() === "install" ? {} : undefined;
  },
  lockfiles: ["composer.lock"],
  trouble({ paths, text }) {
    for (const path of paths) {
      const name = basename(path);
      const trouble = name === "composer.json" || name === "composer.lock" ? composerTrouble(name, text(path) ?? "") : undefined;
      if (trouble !== undefined) return `${path} ${trouble}`;
    }
    return undefined;
  },
};
