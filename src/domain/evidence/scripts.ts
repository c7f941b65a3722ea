import { jsonMembers, membersOf } from "../batch/test-command.ts";

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
  if (RUN.test(first)) return second === undefined ? undefined : { runner, script: second };
  const script = NPM_SHORT[first] ?? (runner === "npm" || first === "" ? undefined : first);
  return script === undefined ? undefined : { runner, script };
}

/** The command of a script in package.json; undefined if there is none. An unreadable package.json has none. */
export function scriptText(packageJson: string | undefined, name: string): string | undefined {
  const script = packageJson === undefined ? undefined : membersOf(jsonMembers(packageJson)["scripts"])[name];
  return typeof script === "string" ? script : undefined;
}
