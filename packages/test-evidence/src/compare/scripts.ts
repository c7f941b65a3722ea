import { jsonMembers, objectMembers } from "@loopdash/values";

/** Programs that run scripts of package.json, and the other files of the repository that steer them. */
export const SCRIPT_RUNNERS: Readonly<Record<string, readonly string[]>> = {
  npm: [".npmrc"],
  pnpm: [".npmrc", "pnpm-workspace.yaml", ".pnpmfile.cjs", ".pnpmfile.mjs"],
  yarn: [".yarnrc", ".yarnrc.yml"],
  bun: ["bunfig.toml", ".npmrc"],
};

/** Their own commands. Any other first word is a script's name, except for npm. */
const RUN = /^(?:run|run-script|rum|urn)$/;
const NPM_SHORT: Readonly<Record<string, string>> = {
  test: "test",
  tst: "test",
  t: "test",
  start: "start",
  stop: "stop",
  restart: "restart",
};

/** The script of package.json that a command runs; undefined if it runs none, or one that its words do not show. */
export function scriptRunBy(command: readonly string[]): { readonly runner: string; readonly script: string } | undefined {
  const runner = (command[0] ?? "").split("/").at(-1) ?? "";
  if (!Object.hasOwn(SCRIPT_RUNNERS, runner)) return undefined;
  const words = command.slice(1).filter((word) => !word.startsWith("-"));
  const [first = "", second] = words;
  // It is Bun's own runner.
  if (runner === "bun" && first === "test") return undefined;
  if (RUN.test(first)) return second === undefined ? undefined : { runner, script: second };
  const script = NPM_SHORT[first] ?? (runner === "npm" || first === "" ? undefined : first);
  return script === undefined ? undefined : { runner, script };
}

/** The command of a script in package.json; undefined if there is none. An unreadable package.json has none. */
export function scriptText(packageJson: string | undefined, name: string): string | undefined {
  const script = packageJson === undefined ? undefined : objectMembers(jsonMembers(packageJson)["scripts"])[name];
  return typeof script === "string" ? script : undefined;
}

/** Scripts of package.json that checks at a forge usually run. */
const USUAL: readonly string[] = ["test", "lint", "typecheck", "build", "check"];

/** Programs that run scripts of package.json by their names. */
const RUNS_SCRIPTS = /(?:^|[^\w.-])(?:npm|pnpm|yarn|bun|npm-run-all2?|run-[sp]|turbo|nx|lerna|wireit|concurrently)(?:[^\w.-]|$)/;

/** Characters of a line that are read. */
const LINE_CHARS = 4_000;

/**
 * The scripts of a package.json that checks run: the usual ones, those that the texts of workflows name on a line that runs scripts, and
 * those that one of these names in the same way. A line may name more than it runs.
 */
export function calledScripts(packageJson: string, workflows: readonly string[]): readonly string[] {
  const scripts = objectMembers(jsonMembers(packageJson)["scripts"]);
  const names = new Set(Object.keys(scripts));
  const called = new Set(USUAL);
  let texts = [...workflows, ...USUAL.flatMap((name) => scriptCommands(scripts, name))];
  while (texts.length > 0) {
    const fresh = [...new Set(texts.flatMap(namedIn))].filter((name) => names.has(name) && !called.has(name));
    for (const name of fresh) called.add(name);
    texts = fresh.flatMap((name) => scriptCommands(scripts, name));
  }
  return [...called];
}

/** The commands of a script, with those that npm runs before and after it. */
function scriptCommands(scripts: Readonly<Record<string, unknown>>, name: string): readonly string[] {
  return [`pre${name}`, name, `post${name}`].map((each) => scripts[each]).filter((text) => typeof text === "string");
}

function namedIn(text: string): readonly string[] {
  const lines = text.replaceAll(/\\\r?\n/g, " ").split(/[\r\n]+/);
  return lines
    .map((line) => line.slice(0, LINE_CHARS))
    .flatMap((line) => (RUNS_SCRIPTS.test(line) ? line.split(/[\s"'`&|;(){}[\],]+/) : []));
}
