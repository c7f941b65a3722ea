import { existsSync } from "node:fs";
import { join } from "node:path";
import { BOUND_FILE, type Bound, describeOrigin, isUnbound, NO_RULES } from "../../domain/bound/bound.ts";
import { type RatedRule, ratedRules, TIER_NAMES } from "../../domain/bound/tier.ts";
import { jsonText, plainText, plural } from "../../domain/values/text.ts";
import { EXIT } from "../../domain/values/user-error.ts";
import { findReports, findRules, findTestCommands } from "../engine/find-in-bases.ts";
import { loadBatch } from "../engine/load-batch.ts";
import { writeAll } from "../print.ts";
import { findBoundPlace, rulesOf, shownBase } from "./check-bound.ts";
import type { BoundFlags } from "./flags.ts";

/** `loopdash bound show`: every rule with its tier, as the runs of a batch hold it, or a run with the defaults of a batch. */
export async function showBound({ repo, base, batch, json }: BoundFlags): Promise<number> {
  print(json === true, batch === undefined ? [await ofRepository({ repo, base })] : await ofBatch(batch));
  return EXIT.done;
}

async function ofRepository(named: Parameters<typeof findBoundPlace>[0]): Promise<Shown> {
  const place = await findBoundPlace(named);
  const { bound, hasFile } = await rulesOf(place);
  const setup = { sandbox: "required", zones: "approve", tickets: [], hasReviewer: false } as const;
  const rules = ratedRules(bound, { ...setup, missingPrograms: missingIn(bound, place.top) });
  const base = shownBase(place);
  const head = hasFile
    ? `${BOUND_FILE} on ${base}: ${sizeOf(bound)}; tiers of a run without a reviewer`
    : `${base} has no ${BOUND_FILE} and never had one; loopdash bound suggest proposes zones`;
  return { repo: place.top, base, hasFile, rules, head };
}

async function ofBatch(file: string): Promise<readonly Shown[]> {
  const { batch } = await loadBatch(file, { cwd: process.cwd(), findTests: findTestCommands, findReports, findRules });
  return Object.entries(batch.repos).map(([id, { path, base }]): Shown => {
    const bound = batch.bounds?.[id] ?? NO_RULES;
    const rules = ratedRules(bound, {
      sandbox: batch.sandbox,
      zones: batch.bound?.zones ?? "approve",
      tickets: batch.tickets.filter((ticket) => ticket.repo === id),
      hasReviewer: batch.reviewer !== undefined,
      missingPrograms: missingIn(bound, path),
    });
    const hasFile = rules.some(({ kind }) => kind === "rules");
    return { repo: id, base, hasFile, rules, head: `${id}, on ${base}: ${sizeOf(bound)}` };
  });
}

/** The programs of laws that are neither on PATH nor, named by a path, in the checkout. */
function missingIn(bound: Bound, top: string): ReadonlySet<string> {
  const programs = bound.ironLaws.flatMap(({ command }) => command?.[0] ?? []);
  return new Set(programs.filter((program) => !isFound(program, top)));
}

function isFound(program: string, top: string): boolean {
  if (program.includes("/")) return existsSync(join(top, program)) || existsSync(program);
  return (process.env["PATH"] ?? "").split(":").some((folder) => folder !== "" && existsSync(join(folder, program)));
}

interface Shown {
  readonly repo: string;
  readonly base: string;
  readonly hasFile: boolean;
  readonly rules: readonly RatedRule[];
  readonly head: string;
}

function print(json: boolean, repos: readonly Shown[]): void {
  if (json) return writeAll(1, jsonText({ repos: repos.map(({ head: _, ...repo }) => repo) }));
  writeAll(1, `${repos.flatMap(({ head, rules }) => [head, ...rules.flatMap(linesOf)]).join("\n")}\n`);
}

function linesOf({ kind, rule, tier, because, why, origin }: RatedRule): readonly string[] {
  const reason = why === undefined ? "" : `: ${why}`;
  return [
    plainText(`  ${tier} ${TIER_NAMES[tier].padEnd(9)}  ${kind}  ${rule}${reason}`, 400),
    plainText(`              ${because} (${describeOrigin(origin)})`, 400),
  ];
}

function sizeOf(bound: Bound): string {
  if (isUnbound(bound)) return "no rule";
  const { zones, neverDo, ironLaws } = bound;
  return [plural(zones.length, "zone"), `${neverDo.length} never do`, plural(ironLaws.length, "iron law")].join(", ");
}
