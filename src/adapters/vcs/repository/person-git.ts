import type { GitCall, GitResult, Setting } from "../git/git-call.ts";

/** Variables by which git finds a person's settings, and filters their data. A worker is given none of them. */
const VARIABLES = [
  ...["HOME", "USER", "LOGNAME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"],
  ...["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_ATTR_NOSYSTEM", "GIT_LFS_SKIP_SMUDGE"],
];

/** How git converts files for the person of a repository. */
export interface Person {
  /** The variables that git needs to find the person's settings. */
  readonly env: Readonly<Record<string, string>>;
  /** The settings `filter.<driver>.<key>` of the person and of the repository, before any worker ran. */
  readonly filters: ReadonlyMap<string, string>;
}

/** What this takes of a store. */
interface Repository {
  readonly at: { readonly commonDir: string };
  readonly person: Person;
  start(call: GitCall): Promise<GitResult>;
}

/** A folder with a person's files, and its git folder. */
export interface Checkout {
  readonly path: string;
  readonly gitDir: string;
}

/** Reads the filters of a repository by all settings that count for its person. Git starts no program for that. */
export async function readPerson(
  run: (call: GitCall) => Promise<GitResult>,
  gitDir: string,
  all: NodeJS.ProcessEnv,
): Promise<Person> {
  const env = Object.fromEntries(VARIABLES.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]])));
  return { env, filters: await readFilters(run, { gitDir, person: env }) };
}

async function readFilters(
  run: (call: GitCall) => Promise<GitResult>,
  at: Pick<GitCall, "gitDir" | "commonDir" | "person">,
): Promise<Map<string, string>> {
  const { stdout } = await run({ ...at, args: ["config", "-z", "--get-regexp", "^filter\\."] });
  const entries = stdout.split("\0").filter((entry) => entry !== "");
  return new Map(entries.map((entry) => [entry.split("\n", 1)[0] ?? "", entry.slice(entry.indexOf("\n") + 1)]));
}

/** The drivers that a map of settings defines. */
export function driversIn(filters: ReadonlyMap<string, string>): readonly string[] {
  return [...new Set([...filters.keys()].flatMap((key) => /^filter\.(.+)\.[^.]+$/s.exec(key)?.[1] ?? []))];
}

/** The drivers that change a file as git writes it, with the commands by which they do. */
export function writingDrivers({ filters }: Person): ReadonlyMap<string, string> {
  const programs = driversIn(filters).map((driver): readonly [string, string] => {
    const program = filters.get(`filter.${driver}.process`) ?? filters.get(`filter.${driver}.smudge`) ?? "";
    return [driver, program];
  });
  return new Map(programs.filter(([, program]) => program !== "" && program !== "cat"));
}

/**
 * Runs git in a person's checkout with all settings of theirs: those of the system, of the person and of the repository decide about ends
 * of lines, encodings and attributes, as for the person's own commands. The programs of filters run only with `filters`, and then those that
 * were there before any worker ran: a worker without a sandbox may have added some. Hooks and monitors never run.
 */
export async function inPersonsCheckout(
  store: Repository,
  checkout: Checkout,
  args: readonly string[],
  more: { readonly filters: boolean } & Partial<Pick<GitCall, "input" | "index" | "config">>,
): Promise<GitResult> {
  const { env, filters: known } = store.person;
  const at = { gitDir: checkout.gitDir, commonDir: store.at.commonDir, person: env };
  // Of no key that is not set: git takes an empty `process` for a filter that does nothing, whatever `clean` and `smudge` say.
  const keys = new Set([...known.keys(), ...(await readFilters(store.start, at)).keys()]);
  const settings = [...keys].map((key): Setting => [key, more.filters ? (known.get(key) ?? "") : ""]);
  const { filters: _, config = [], ...rest } = more;
  return store.start({ ...at, ...rest, args, workTree: checkout.path, config: [...settings, ...config] });
}
