import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { changeOfCheckout, changeOfCommit, commitNamed, writeCommit } from "../../adapters/vcs/bound/changes.ts";
import { type GitPlace, type RulesAt, rulesAt } from "../../adapters/vcs/bound/rules-at.ts";
import { findGitDir } from "../../adapters/vcs/repository/locate.ts";
import { BOUND_FILE, type Bound, describeOrigin, type IronLaw, NO_RULES } from "../../domain/bound/bound.ts";
import { type BoundProblem, formatBoundProblems } from "../../domain/bound/parse-bound.ts";
import { type BoundFate, boundFate, type TouchedZone, touchedZones } from "../../domain/bound/touched.ts";
import { jsonText, plainText, plural } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { findRepository, topOf } from "../init/repository.ts";
import { writeAll } from "../print.ts";
import { usageError } from "../usage-error.ts";
import type { BoundFlags } from "./flags.ts";
import { failureOf } from "./run-law.ts";

/** The result of a law. A law without a command is for reviewers and prompts. */
interface LawResult {
  readonly name: string;
  readonly text: string;
  readonly result: "holds" | "fails" | "not checked";
  readonly why?: string;
}

interface CheckResult {
  readonly base: string;
  readonly of: string;
  /** `never had`: neither base nor change has rules. `lost`: the base has them, and the change takes them away. */
  readonly rules: "never had" | "lost" | "changed" | "added" | "kept";
  readonly zones: readonly TouchedZone[];
  readonly laws: readonly LawResult[];
  readonly ok: boolean;
}

/** `loopdash bound check`: what a change touches, and whether the laws of the base hold with it. Returns 0 or 1. */
export async function checkBound({ words: [rev], repo, base, json }: BoundFlags): Promise<number> {
  const place = await findBoundPlace({ repo, base });
  const { bound, hasFile } = await rulesOf(place);
  const commit = rev === undefined ? undefined : await commitNamed(place, rev);
  if (rev !== undefined && commit === undefined)
    throw usageError(
      `${plainText(rev, 100)} cannot be checked`,
      "it is no commit of the repository",
      "Name a commit or a branch.",
    );
  const paths =
    commit === undefined ? await changeOfCheckout(place, place.baseSha) : await changeOfCommit(place, place.baseSha, commit);
  const rules = fateOf(boundFate(paths), hasFile);
  const zones = touchedZones(paths, bound.zones);
  const laws = await runLaws(place, bound.ironLaws, commit);
  const isKept = rules === "kept" || rules === "never had";
  const ok = isKept && zones.length === 0 && laws.every(({ result }) => result !== "fails");
  const of = rev === undefined ? "the checkout" : plainText(rev, 100);
  const result: CheckResult = { base: shownBase(place), of, rules, zones, laws, ok };
  const more = rules === "changed" || rules === "added" ? await problemsOfNew(place, commit) : [];
  writeAll(1, json === true ? jsonText(result) : `${[...linesOf(result), ...more].join("\n")}\n`);
  return ok ? EXIT.done : EXIT.notDone;
}

function fateOf(fate: BoundFate, hasFile: boolean): CheckResult["rules"] {
  if (fate === "untouched") return hasFile ? "kept" : "never had";
  return fate;
}

/** The problems of rules that the change brings, in words for the person who writes them. */
async function problemsOfNew(place: BoundPlace, commit: string | undefined): Promise<readonly string[]> {
  if (commit === undefined) return [];
  const after = await rulesAt(place, commit);
  if (after.as !== "unreadable") return [];
  return after.problems.map(({ line, message, hint }) => plainText(`  new ${BOUND_FILE}:${line}  ${message}; ${hint}`, 500));
}

function linesOf({ base, of, rules, zones, laws, ok }: CheckResult): readonly string[] {
  return [
    ruleLine(rules, { base, of }),
    ...zones.flatMap(({ zone, paths }) => [
      `zone ${plainText(zone.path, 200)} is touched; a person has to approve that (${describeOrigin(zone.origin)}${because(zone.why)})`,
      ...paths.slice(0, 20).map(({ path, how }) => `  ${plainText(path, 200)} (${how})`),
      ...(paths.length > 20 ? [`  and ${paths.length - 20} more`] : []),
    ]),
    ...laws.map(({ name, text, result, why }) =>
      plainText(`${name} ${result}: ${text}${why === undefined ? "" : ` (${why})`}`, 400),
    ),
    ok ? `${of} keeps to the rules` : `${of} needs a person: ${sumOf({ rules, zones, laws })}`,
  ];
}

function because(why: string | undefined): string {
  return why === undefined ? "" : `: ${plainText(why, 200)}`;
}

const RULE_LINES: Readonly<Record<CheckResult["rules"], string>> = {
  "never had": `has no ${BOUND_FILE} and never had one; loopdash bound suggest proposes zones`,
  kept: `is as on the base: ${BOUND_FILE} is not touched`,
  lost: `loses ${BOUND_FILE}, which is on the base: no run lands that`,
  changed: `changes ${BOUND_FILE}: no run lands that; a person commits it`,
  added: `brings ${BOUND_FILE}, which the base never had: no run lands that; a person commits it`,
};

function ruleLine(rules: CheckResult["rules"], { base, of }: Pick<CheckResult, "base" | "of">): string {
  return `${rules === "never had" ? base : of} ${RULE_LINES[rules]}`;
}

function sumOf({ rules, zones, laws }: Pick<CheckResult, "rules" | "zones" | "laws">): string {
  const failed = laws.filter(({ result }) => result === "fails").length;
  return [
    ...(rules === "kept" || rules === "never had" ? [] : [`${BOUND_FILE} is ${rules}`]),
    ...(zones.length > 0 ? [`${plural(zones.length, "zone")} touched`] : []),
    ...(failed > 0 ? [plural(failed, "iron law fails", "iron laws fail")] : []),
  ].join(", ");
}

/** Runs the laws in the checkout, or in the files of a commit in a folder of their own. Their output goes to stderr. */
async function runLaws(place: BoundPlace, laws: readonly IronLaw[], commit: string | undefined): Promise<readonly LawResult[]> {
  if (commit === undefined || laws.every(({ command }) => command === undefined)) return runIn(place.top, laws);
  const scratch = await mkdtemp(join(tmpdir(), "loopdash-bound-"));
  try {
    const folder = join(scratch, "files");
    await mkdir(folder);
    await writeCommit(place, { commit, folder, index: join(scratch, "index") });
    return await runIn(folder, laws);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function runIn(folder: string, laws: readonly IronLaw[]): Promise<readonly LawResult[]> {
  const results: LawResult[] = [];
  for (const { name, text, command } of laws) {
    const why = command === undefined ? undefined : await failureOf(command, folder);
    const result = command === undefined ? "not checked" : why === undefined ? "holds" : "fails";
    results.push({ name, text, result, why });
  }
  return results;
}

/** A repository and its base, whose rules count. */
export interface BoundPlace extends GitPlace {
  /** The base as a person named it, or its branch. */
  readonly base: string;
  readonly baseSha: string;
}

/** The places in which a base without a local branch is looked for: in a clone of a CI, say. */
const REMOTE_BASES = ["origin/HEAD", "origin/main", "origin/master"];

/** Finds the repository and its base. Throws a UserError (exit 2) if there is none. */
export async function findBoundPlace({
  repo,
  base,
}: {
  readonly repo: string;
  readonly base?: string | undefined;
}): Promise<BoundPlace> {
  const folder = resolve(process.cwd(), repo);
  const top = await topOf(folder);
  if (top === undefined)
    throw usageError(
      `${plainText(repo, 200)} is in no git repository`,
      "the rules are read from a commit",
      "Name one with --repo.",
    );
  const place: GitPlace = { top, gitDir: await findGitDir(top) };
  const names = base === undefined ? await likelyBases(top) : [base];
  for (const name of names) {
    const baseSha = await commitNamed(place, name);
    if (baseSha !== undefined) return { ...place, base: name, baseSha };
  }
  const named = base === undefined ? "it has no branch main, and no origin/main" : `${plainText(base, 100)} is no commit there`;
  throw usageError("the base is not found", named, "Name a branch or commit: --base main");
}

async function likelyBases(top: string): Promise<readonly string[]> {
  const found = await findRepository({ name: undefined, path: top, base: undefined }, { cwd: top, env: process.env });
  return [...("value" in found ? [`refs/heads/${found.value.base}`] : []), ...REMOTE_BASES];
}

/** The rules at the base, and whether there is a file. Throws a UserError (exit 2) with every problem if it cannot be read. */
export async function rulesOf(place: BoundPlace): Promise<{ readonly bound: Bound; readonly hasFile: boolean }> {
  const rules: RulesAt = await rulesAt(place, place.baseSha);
  if (rules.as === "unreadable") throw unreadableRules(rules.problems, shownBase(place));
  return rules.as === "absent" ? { bound: NO_RULES, hasFile: false } : { bound: rules.bound, hasFile: true };
}

/** The base for people. */
export function shownBase({ base }: Pick<BoundPlace, "base">): string {
  return plainText(base.replace(/^refs\/heads\//, ""), 100);
}

/** The error of rules that nobody can read. They count as no permission: nothing is checked by half of them. */
export function unreadableRules(problems: readonly BoundProblem[], base: string, where = ""): UserError {
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  return new UserError({
    what: `${BOUND_FILE}${where} on ${base} is not valid (${count})`,
    why: formatBoundProblems(problems),
    todo: `Correct ${BOUND_FILE} on ${base}: it is read from there, and not from your checkout.`,
    exitCode: EXIT.usage,
  });
}
