import { COUNTS, parseCondition } from "@loopdash/test-evidence";
import { displayValue, hintFor } from "@loopdash/values";
import { checkCommand } from "./check-secrets.ts";
import { checkValue } from "./issues.ts";
import { unfitForGlob, unfitForLine } from "./plain-words.ts";
import { type BatchProblem, type NoteProblem, type Path, pathText } from "./problem.ts";
import { unfitForReport } from "./report-location.ts";
import { CONTRACT_BODY_CHARS, type Contract, ContractSpec, type CriterionSpec, type StepSpec } from "./step-spec.ts";
import type { Position } from "./text-position.ts";

/** A problem of a contract file as a text. The place is absent if the file could not be read. */
export interface ContractTextProblem extends Partial<Position> {
  readonly message: string;
  readonly hint?: string;
}

/** A contract file as it was read: the value of its front matter, whose shape nobody has checked, and the Markdown below. */
export type ContractText =
  | {
      readonly ok: true;
      /** sha256 of its text, in hexadecimal digits. */
      readonly sha: string;
      readonly value: unknown;
      readonly body: string;
      /** The place of a value, or of one of its keys, in the file; undefined if the front matter does not give it. */
      readonly locate: (path: Path, key?: string) => Position | undefined;
    }
  | { readonly ok: false; readonly problems: readonly ContractTextProblem[] };

/** A contract, and its criteria as checks. `{batch}` still stands in the commands. */
export interface ReadContract {
  readonly contract: Contract;
  readonly checks: readonly StepSpec[];
}

/** The surroundings that a contract must fit. */
export interface ContractSurroundings {
  /** Names of the checks that the ticket's finish line has without the contract. */
  readonly taken: readonly string[];
  /** Names under which the batch opens hosts. */
  readonly hosts: readonly string[];
}

/** Checks a contract file, or lists every problem with its place. `path` is the file as the batch names it. */
export function readContract(
  path: string,
  text: ContractText,
  surroundings: ContractSurroundings,
): ({ readonly ok: true } & ReadContract) | { readonly ok: false; readonly problems: readonly BatchProblem[] } {
  if (!text.ok) return { ok: false, problems: text.problems.map((problem) => ({ file: path, path: "", ...problem })) };
  const problems: BatchProblem[] = [];
  const note = (at: Path, message: string, hint?: string, key?: string) =>
    problems.push({ ...placeIn(text, at, key), ...{ file: path, path: pathText(at), message }, hint });
  const checked = checkValue(ContractSpec, text.value ?? {});
  if (!checked.ok) {
    for (const { path: at, key, message, hint } of checked.findings) note(at, message, hint, key);
    return { ok: false, problems };
  }
  if (text.body.length > CONTRACT_BODY_CHARS)
    note([], `the text below the front matter is longer than ${CONTRACT_BODY_CHARS} characters, and a prompt holds all of it`);
  checkContract(checked.value, surroundings, note);
  if (problems.length > 0) return { ok: false, problems };
  const { criteria, ...bounds } = checked.value;
  return {
    ok: true,
    contract: { path, sha: text.sha, body: text.body, ...bounds },
    checks: inOrder(checked.value).map(criterionCheck),
  };
}

/** The place of the innermost enclosing value that the file gives; else its first line. */
function placeIn({ locate }: Extract<ContractText, { ok: true }>, path: Path, key?: string): Position {
  for (let length = path.length; length >= 0; length--) {
    const place = locate(path.slice(0, length), length === path.length ? key : undefined);
    if (place !== undefined) return place;
  }
  return { line: 1, column: 1 };
}

/** The criteria of the phases in their order, then the others: the first that fails tells the phase. */
function inOrder({ criteria, phases = [] }: ContractSpec): readonly CriterionSpec[] {
  const order = phases.flatMap((phase) => phase.criteria);
  const place = ({ name }: CriterionSpec) => (order.includes(name) ? order.indexOf(name) : order.length);
  return criteria.toSorted((a, b) => place(a) - place(b));
}

function criterionCheck({ exitCode, condition, ...command }: CriterionSpec): StepSpec {
  const wants = { exitCode, condition: condition?.trim() };
  return { step: "check", ...command, criterion: wants };
}

function checkContract(spec: ContractSpec, { taken, hosts }: ContractSurroundings, note: NoteProblem): void {
  const known = new Set<string>();
  spec.criteria.forEach((criterion, i) => {
    const { name } = criterion;
    const at = ["criteria", i, "name"];
    if (known.has(name)) note(at, `there is a criterion ${displayValue(name)} already`, "give each a name of its own");
    else if (taken.includes(name))
      note(at, `the ticket's finish line has a check named ${displayValue(name)} already`, "choose another name");
    else if (hosts.includes(name))
      note(
        at,
        `the batch opens hosts to steps named ${displayValue(name)}, and a criterion has no network`,
        "choose another name",
      );
    known.add(name);
    checkCriterion(criterion, ["criteria", i], note);
  });
  checkPhases(spec, [...known], note);
  for (const key of ["protect", "only"] as const)
    spec.safety?.[key]?.forEach((glob, i) => {
      noteUnfit(unfitForGlob(glob), ["safety", key, i], note);
    });
  spec.safety?.rules?.forEach((rule, i) => {
    noteUnfit(unfitForLine(rule), ["safety", "rules", i], note);
  });
}

function checkCriterion({ command, exitCode, report, condition }: CriterionSpec, at: Path, note: NoteProblem): void {
  checkCommand(command, [...at, "command"], note);
  if (report !== undefined) noteUnfit(unfitForReport(report), [...at, "report", "path"], note);
  if (exitCode !== undefined && report !== undefined)
    note([...at, "exitCode"], "goes without a report: with one, the tests and the exit code must agree", "leave it out");
  if (condition === undefined) return;
  if (report === undefined) note([...at, "condition"], "counts tests, and the criterion has no report", REPORT_HINT);
  const parsed = parseCondition(condition);
  if (parsed.ok) return;
  const hint = parsed.name === undefined ? parsed.hint : hintFor(parsed.name, COUNTS, "known here");
  const what = parsed.name === undefined ? "" : ` (${displayValue(parsed.name)})`;
  note([...at, "condition"], `${parsed.message}${what}`, hint);
}

const REPORT_HINT = 'add "report": {format: junit, path: "{artifacts}/report.xml"}';

function checkPhases({ phases = [] }: ContractSpec, known: readonly string[], note: NoteProblem): void {
  const names = new Set<string>();
  const used = new Map<string, string>();
  phases.forEach(({ name, criteria }, i) => {
    if (names.has(name)) note(["phases", i, "name"], `there is a phase ${displayValue(name)} already`);
    names.add(name);
    criteria.forEach((criterion, j) => {
      const at = ["phases", i, "criteria", j];
      const before = used.get(criterion);
      if (!known.includes(criterion))
        note(at, `unknown criterion ${displayValue(criterion)}`, hintFor(criterion, known, "known here"));
      else if (before !== undefined)
        note(
          at,
          `${displayValue(criterion)} is of the phase ${displayValue(before)} already`,
          "all checkpoints run again at the end",
        );
      used.set(criterion, name);
    });
  });
}

function noteUnfit(reason: string | undefined, path: Path, note: NoteProblem): void {
  if (reason !== undefined) note(path, reason);
}
