import { basename } from "node:path/posix";
import picomatch from "picomatch";
import type { Allowance } from "../compare/results.ts";
import { isToolConfiguration } from "../compare/sealed-paths.ts";
import { isFoundByName } from "./found-by-name.ts";

/** What somebody who may say so has allowed of the judge: by kinds and globs, and files that were shown and approved. */
export interface JudgeAllowance extends Pick<Allowance, "attributes" | "configuration" | "judge" | "scripts"> {
  readonly files?: readonly string[] | undefined;
}

/** Files by which checks are run, by their names. */
const SCRIPTS =
  /^(?:package\.json|(?:GNU)?[Mm]akefile|.*\.(?:mk|(?:ba|z)?sh)|\.npmrc|\.yarnrc(?:\.yml)?|pnpm-workspace\.yaml|\.pnpmfile\.[cm]?js|bunfig\.toml|[Jj]ustfile|Taskfile\.ya?ml|noxfile\.py|tox\.ini)$/;

/** True if a change of this file of the judge is allowed. */
export function isAllowedToJudge(
  { attributes, configuration, judge = [], scripts, files = [] }: JudgeAllowance,
  path: string,
): boolean {
  const name = basename(path);
  if (files.includes(path) || (judge.length > 0 && picomatch([...judge], { dot: true })(path))) return true;
  if (name === ".gitattributes") return attributes === true;
  if (scripts === true && SCRIPTS.test(name)) return true;
  return configuration === true && (isFoundByName(path) || isToolConfiguration(path));
}

/** True if anything of the judge is allowed at all. */
export function trustsAny({ attributes, configuration, judge = [], scripts, files = [] }: JudgeAllowance): boolean {
  return attributes === true || configuration === true || scripts === true || judge.length > 0 || files.length > 0;
}
