import { readJson } from "../values/json-text.ts";
import type { Remark } from "./compare.ts";

/** Programs that run scripts of package.json, and the other files of the repository that steer them. */
const RUNNERS: Readonly<Record<string, readonly string[]>> = {
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
  if (!Object.hasOwn(RUNNERS, runner)) return undefined;
  const words = command.slice(1).filter((word) => !word.startsWith("-"));
  const [first = "", second] = words;
  if (RUN.test(first)) return second === undefined ? undefined : { runner, script: second };
  const script = NPM_SHORT[first] ?? (runner === "npm" || first === "" ? undefined : first);
  return script === undefined ? undefined : { runner, script };
}

/**
 * Findings against a candidate that changes the script of its check (adversary case A10: `"test": "echo ok"`). `changed` are the
 * paths that differ from the base; `before` and `after` are package.json's texts, undefined if there is none.
 */
export function scriptFindings(
  { runner, script }: { readonly runner: string; readonly script: string },
  {
    changed,
    before,
    after,
  }: { readonly changed: readonly string[]; readonly before: string | undefined; readonly after: string | undefined },
): readonly Remark[] {
  const settings = (RUNNERS[runner] ?? []).filter((name) => changed.includes(name));
  const scripts = [`pre${script}`, script, `post${script}`].filter((name) => scriptIn(before, name) !== scriptIn(after, name));
  return [
    ...(scripts.length === 0
      ? []
      : [{ says: `the script that the check runs was changed: ${scripts.join(", ")}`, ids: scripts }]),
    ...(settings.length === 0 ? [] : [{ says: `settings of ${runner} were changed: ${settings.join(", ")}`, ids: settings }]),
  ];
}

/** The command of a script in package.json; undefined if there is none. */
export function scriptText(packageJson: string | undefined, name: string): string | undefined {
  const script: unknown = JSON.parse(scriptIn(packageJson, name) ?? "null");
  return typeof script === "string" ? script : undefined;
}

/** A script's text as JSON; an unreadable package.json has none. */
function scriptIn(text: string | undefined, name: string): string | undefined {
  if (text === undefined) return undefined;
  try {
    const scripts: unknown = (readJson(text) as { scripts?: unknown } | null)?.scripts;
    if (typeof scripts !== "object" || scripts === null || !Object.hasOwn(scripts, name)) return undefined;
    return JSON.stringify((scripts as Record<string, unknown>)[name]);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
