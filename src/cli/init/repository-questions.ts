import { basename, relative } from "node:path";
import { resolveProgram } from "../../adapters/executor/resolve-program.ts";
import { runGit } from "../../adapters/vcs/git/run-git.ts";
import { findGitDir } from "../../adapters/vcs/repository/locate.ts";
import { commandWords } from "../../domain/batch/command-words.ts";
import type { Argv } from "../../domain/batch/prepare-command.ts";
import type { RepoSpec } from "../../domain/batch/repo-spec.ts";
import { plainText } from "../../domain/values/text.ts";
import { hookCheck, repositoryHooks } from "../engine/repository-hooks.ts";
import type { Answers } from "./answers.ts";
import type { InitFlags } from "./flags.ts";
import type { Interview, ParsedAnswer } from "./interview.ts";
import { PUBLIC_REGISTRIES } from "./prepare-commands.ts";
import { type FoundRepository, findRepository, repositoriesBelow, repositoryRequest } from "./repository.ts";

/** Asks for the repositories that tickets change. `current`: the one that `cwd` lies in. Undefined if the answer is missing. */
export async function askRepositories(
  interview: Interview,
  flags: InitFlags,
  { cwd, env, current }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly current: FoundRepository | undefined },
): Promise<readonly FoundRepository[] | undefined> {
  const below = current === undefined ? await repositoriesBelow(cwd) : [];
  const only = below.length === 1 ? below[0] : undefined;
  return interview.answer({
    flag: "--repo PATH",
    given: flags.repo?.join(","),
    text:
      below.length > 1
        ? "Which repositories do tickets change? (numbers or paths, as 1,2)"
        : "Repositories that tickets change: paths, as ../app,../infra",
    choices: below.length > 1 ? below.map((name) => ({ value: name, label: name })) : [],
    fallback: current === undefined ? only : pathFrom(cwd, current.path),
    parse: (text) => readRepositories(flags.repo ?? text.split(",").map((part) => below[Number(part) - 1] ?? part), { cwd, env }),
  });
}

async function readRepositories(
  parts: readonly string[],
  place: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<ParsedAnswer<readonly FoundRepository[]>> {
  const repos: FoundRepository[] = [];
  for (const part of parts) {
    const found = await findRepository(repositoryRequest(part), place);
    if ("problem" in found) return found;
    const twin = repos.find(({ name }) => name === found.value.name);
    if (twin !== undefined)
      return { problem: `two repositories are called ${twin.name}: name one as other=${plainText(part, 100)}` };
    repos.push(found.value);
  }
  return { value: repos };
}

/** A path as a batch file in `folder` has it: relative, unless that is mostly upwards. Both are real paths. */
export function pathFrom(folder: string, path: string): string {
  const short = relative(folder, path);
  if (short === "") return ".";
  return short.startsWith("../../../") ? path : short;
}

/** The repositories as a batch file has them. `prepare`: commands in place of those that were found. */
export function repoSpecs(repos: readonly FoundRepository[], prepare: readonly Argv[] | undefined): Record<string, RepoSpec> {
  return Object.fromEntries(
    repos.map(({ name, path, base, preparation }) => [name, { path, base, prepare: prepare ?? preparation.commands }]),
  );
}

/** The prepare commands that flags give; undefined if those that were found are taken. */
export async function readPrepare(interview: Interview, { prepare }: InitFlags): Promise<readonly Argv[] | undefined> {
  if (prepare === undefined || prepare.join() === "none") return prepare && [];
  const commands = await Promise.all(
    prepare.map((given) => interview.answer({ flag: "--prepare COMMAND", given, text: "", parse: commandWords })),
  );
  return commands.filter((command) => command !== undefined);
}

/** Asks for the command that checks each change. Undefined if the answer is missing. */
export async function askTest(
  interview: Interview,
  flags: InitFlags,
  { repos, path }: { readonly repos: readonly FoundRepository[]; readonly path: string },
): Promise<Answers["test"] | undefined> {
  const own = repos.flatMap(({ name, test }) => (test === undefined ? [] : [{ name, command: test.join(" ") }]));
  const [first] = own;
  const found = first === undefined ? undefined : repos.length === 1 ? first.command : "own";
  const named = own.map(({ name, command }) => `${name}: ${command}`).join("; ");
  return interview.answer({
    flag: '--test "npm test"',
    given: flags.test,
    text:
      repos.length === 1
        ? "Test command, or none"
        : `Test command, or none${found === "own" ? `, or own, each repository's: ${plainText(named, 300)}` : ""}`,
    fallback: found,
    parse: (text) => readTest(text, { found, path }),
  });
}

/** Names of files that git usually ignores and that programs read. */
const SETTINGS = /^(?:\.env(?:\.local|\.test)?|local\.settings\.json|[^/]+\.pem)$/;
const MOST_SETTINGS = 10;

/** Names ignored settings of the user's own checkouts, which agents and checks lack. Copies none: they may hold real credentials. */
async function settingsLines(repos: readonly FoundRepository[]): Promise<readonly string[]> {
  const found = repos.map(async ({ name, path }) => {
    const args = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
    const { stdout } = await runGit(path, { gitDir: await findGitDir(path), workTree: path, args });
    const files = stdout.split("\0").filter((file) => SETTINGS.test(basename(file)) && !file.endsWith("/"));
    return files.slice(0, MOST_SETTINGS).map((file) => {
      const line = `"copy": [{"from": ${JSON.stringify(`${basename(file)}-for-tests`)}, "to": ${JSON.stringify(file)}}]`;
      return plainText(
        `  ${name}: git ignores ${file}, so agents and checks lack it. To give them one for tests, add ${line}`,
        400,
      );
    });
  });
  return (await Promise.all(found)).flat();
}

/** Shows the hooks of the repositories, which no run obeys, and asks whether they become checks. */
export async function askHooks(
  interview: Interview,
  { hooks: given }: InitFlags,
  { repos = [], test }: { readonly repos: readonly FoundRepository[] | undefined; readonly test: Answers["test"] | undefined },
): Promise<Answers["hooks"]> {
  const hooks = (await Promise.all(repos.map((repo) => repositoryHooks(repo)))).flat();
  for (const { name, found } of hooks) interview.tell(`  no run obeys the hook ${name} (${found})`);
  const checks = hooks.flatMap((hook) => hookCheck(hook) ?? []);
  if (checks.length === 0 || repos.length > 1 || test === "own") return [];
  const names = checks.map(({ name }) => name).join(", ");
  const parse = (text: string) =>
    /^(?:checks|none|)$/.test(text) ? { value: text === "checks" ? checks : [] } : { problem: "answer checks or none" };
  const text = `Make ${names} a check of each change? checks, or Enter for none`;
  return (await interview.answer({ flag: "--hooks checks", given, text, fallback: "", parse })) ?? [];
}

/** A command that was found is looked for by `doctor`; one that a person types is looked for at once. */
async function readTest(
  text: string,
  { found, path }: { readonly found: string | undefined; readonly path: string },
): Promise<ParsedAnswer<Answers["test"]>> {
  if (text === "none") return { value: "none" };
  if (text === "own") return found === "own" ? { value: "own" } : { problem: "no repository names a test command of its own" };
  const command = commandWords(text);
  if ("problem" in command || text === found) return command;
  const [program = ""] = command.value;
  // A path is one of the checkout, which is not there yet.
  const isThere = program.includes("/") || (await resolveProgram(program, { cwd: "/", path })) !== undefined;
  return isThere ? command : { problem: `no folder of PATH has a program "${plainText(program, 100)}"` };
}

/** What was found about each repository, for the person who answers. */
export async function repositoryLines(
  repos: readonly FoundRepository[],
  prepare: readonly Argv[] | undefined,
): Promise<readonly string[]> {
  const settings = await settingsLines(repos);
  const lines = repos.flatMap(({ name, path, base, preparation }) => {
    const commands = prepare ?? preparation.commands;
    const shown = commands.length === 0 ? "no prepare" : `prepare: ${commands.map((command) => command.join(" ")).join(", ")}`;
    const loose = prepare === undefined ? preparation.notIgnored : [];
    const closed = prepare?.length === 0 ? [] : preparation.hosts.filter((host) => !PUBLIC_REGISTRIES.has(host));
    return [
      `  ${name}: branch ${base} of ${path}, ${shown}`,
      ...closed.map(
        (host) => `  ${name}: its .npmrc names ${host}, which stays closed: if you trust it, open it (docs/use/network.md)`,
      ),
      ...loose.map(
        (folder) => `  ${name}: .gitignore on ${base} does not name ${folder}: add it there, or changes will contain it`,
      ),
    ];
  });
  return [...lines, ...settings];
}
