import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { basename, dirname, join, posix, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { parseContractText } from "../../adapters/contract/contract-file.ts";
import { readPlainFile } from "../../adapters/plain-file.ts";
import { checkValue } from "../../domain/batch/issues.ts";
import type { AgentSpec, ReviewerSpec } from "../../domain/batch/party.ts";
import { type Path, pathText } from "../../domain/batch/problem.ts";
import { casePath, type Goal, GoalSpec } from "../../domain/improve/goal.ts";
import { plainText } from "../../domain/values/text.ts";
import type { UserError } from "../../domain/values/user-error.ts";
import { strayPaths } from "../../loop/steps/gates.ts";
import { usageError } from "../usage-error.ts";

const MOST_BYTES = 64 * 1024;

/** A goal file that was read and is valid. Its paths are absolute. */
export interface GoalFile {
  readonly goal: Goal;
  /** Real path of the file: identifies the loop. */
  readonly path: string;
  /** sha256 of its text. */
  readonly sha: string;
}

/** Reads a goal file. Throws a UserError (exit 2) that names its first problem and the place. */
export async function readGoalFile(file: string, cwd: string): Promise<GoalFile> {
  const path = await realpath(resolve(cwd, file)).catch(() => resolve(cwd, file));
  const folder = dirname(path);
  const read = await readPlainFile(folder, basename(path), MOST_BYTES);
  if (read === undefined) throw unfit(file, "there is no such file");
  if (!read.ok) throw unfit(file, read.why);
  const text = parseContractText(read.text);
  if (!text.ok) throw unfit(file, text.problems.map(({ line, message }) => `line ${line ?? 1}: ${message}`)[0] ?? "");
  const at = (where: Path, message: string, key?: string) => {
    const line = text.locate(where, key)?.line ?? text.locate(where.slice(0, 1))?.line ?? 1;
    return unfit(file, `line ${line}: ${[pathText(where), message].filter((part) => part !== "").join(" ")}`);
  };
  const checked = checkValue(GoalSpec, text.value);
  if (!checked.ok) {
    const [first] = checked.findings;
    throw at(first?.path ?? [], [first?.message, first?.hint].filter((part) => part !== undefined).join("; "), first?.key);
  }
  if (text.body === "") throw unfit(file, "nothing below its front matter says what is to be improved");
  const goal = { ...checked.value, body: text.body };
  const [problem] = judgingProblems(goal);
  if (problem !== undefined) throw at(...problem);
  return { goal: atFolder(goal, folder), path, sha: text.sha };
}

/** The settings by which a mender could change what judges it, or an agent would judge its own work: the place, and what is wrong. */
function judgingProblems(goal: Goal): readonly (readonly [Path, string])[] {
  const { agents, checks, log, regression, repo, smoke } = goal;
  const commands = { smoke, checks, regression: [regression.command] };
  const named = Object.entries(commands).flatMap(([key, argvs]): (readonly [Path, string])[] => {
    const word = wordsOf(argvs).find((each) => isInScope(goal, posix.normalize(each)));
    return word === undefined
      ? []
      : [[[key], `names ${JSON.stringify(word)}, which is in scope: a mender could change what judges it`]];
  });
  const outside = "must lie outside of scope: a mender could change it";
  const steering = checks.length === 0 ? undefined : STEERING.find((each) => isInScope(goal, each));
  const isOurs = ["search", "design"].some((each) => repo.base === each || repo.base.startsWith(`${each}/`));
  const isOwn = isDeepStrictEqual(agents.designer, agents.mender);
  return [
    ...(isInScope(goal, casePath(goal, 1)) ? [[["regression", "path"], outside] as const] : []),
    ...(log !== undefined && isInScope(goal, log) ? [[["log"], outside] as const] : []),
    ...named,
    ...(steering === undefined
      ? []
      : [[["scope"], `holds ${steering}, which says what checks run: name no more than what is mended`] as const]),
    ...(isOurs ? [[["repo", "base"], "is a name of the loop's own"] as const] : []),
    ...(isOwn
      ? [[["agents", "designer"], "must be another agent than mender: nobody designs the check of its own change"] as const]
      : []),
  ];
}

/** Files by which a change would say what checks run. */
const STEERING = ["package.json", "Makefile", "justfile"] as const;

/** The words of commands, and the parts of scripts and options among them: each may name a file. */
function wordsOf(commands: readonly (readonly string[])[]): readonly string[] {
  return commands.flat().flatMap((word) => word.split(/[\s=;:|&"'(),]+/).filter((part) => part !== ""));
}

/** True if the goal file still has the text that was read. */
export function isUnchanged({ path, sha }: Pick<GoalFile, "path" | "sha">): boolean {
  return existsSync(path) && createHash("sha256").update(readFileSync(path, "utf8")).digest("hex") === sha;
}

/** True if a path is one that a change of this goal may touch, beside its regression case and the log. */
export function isInScope({ scope }: Pick<Goal, "scope">, path: string): boolean {
  return (
    strayPaths({ paths: [{ path, how: "modified", mode: "file" }] }, { ...NO_CONTRACT, safety: { only: scope } }).length === 0
  );
}

const NO_CONTRACT = { path: "", sha: "", body: "" };

/** The goal with the places beside its file as absolute paths: its batches lie elsewhere. */
function atFolder(goal: Goal, folder: string): Goal {
  const program = <T extends AgentSpec | ReviewerSpec>(spec: T): T => {
    if (spec.kind !== "command") return spec;
    const found = (word: string) => (word.includes("/") || word.includes(".") ? join(folder, word) : "");
    return { ...spec, command: spec.command.map((word) => (found(word) !== "" && existsSync(found(word)) ? found(word) : word)) };
  };
  const { finder, designer, mender, verifier } = goal.agents;
  const finders = Array.isArray(finder) ? finder.map((spec: AgentSpec) => program(spec)) : program(finder as AgentSpec);
  return {
    ...goal,
    repo: {
      ...goal.repo,
      path: resolve(folder, goal.repo.path),
      ...(goal.repo.copy && { copy: goal.repo.copy.map((each) => ({ ...each, from: resolve(folder, each.from) })) }),
    },
    agents: { finder: finders, designer: program(designer), mender: program(mender), verifier: program(verifier) },
  };
}

function unfit(file: string, why: string): UserError {
  const todo = "docs/use/improve.md has an example; `loopdash init --improve` writes one.";
  return usageError(`${plainText(file, 200)} is no goal that can be worked`, plainText(why, 500), todo);
}
