import type { Finding } from "@loopdash/triage";
import type { FixerKind } from "./ci-fact.ts";

/** Words in the name of a job whose output no tool's parser recognises. */
const NAMED: Readonly<Record<FixerKind, RegExp>> = {
  format: /\b(?:format(?:ting)?|fmt|style|prettier|black|gofmt|rustfmt)\b/i,
  lint: /\b(?:lint(?:er|ing)?|eslint|ruff|clippy|biome)\b/i,
};

/**
 * The kinds of repair that fixers could make for these failures: what a formatter or a linter reported, and what a job failed by whose output nobody
 * recognises, if its name says one of both. Failed tests, types and builds are none of theirs.
 */
export function fixableKinds(
  failed: readonly string[],
  findings: readonly Pick<Finding, "category" | "job">[],
): readonly FixerKind[] {
  const recognised = findings.filter(({ category }) => category !== "unknown");
  const silent = failed.filter((job) => !recognised.some((finding) => finding.job === job));
  return (["format", "lint"] as const).filter(
    (kind) => recognised.some(({ category }) => category === kind) || silent.some((job) => NAMED[kind].test(job)),
  );
}
