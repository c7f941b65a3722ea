import { plainText } from "../values/text.ts";

/** An invariant that does not hold. `todo` is what to do. */
export interface LintFinding {
  readonly path: string;
  readonly line: number;
  readonly severity: "error" | "warn";
  readonly rule: string;
  readonly message: string;
  readonly todo: string;
}

/** What a rule finds, before it has the rule's name. */
export type Found = Omit<LintFinding, "severity" | "rule">;

/** A finding as one line: `path:line  severity  rule  message  (what to do)`. Safe for a terminal. */
export function findingLine({ path, line, severity, rule, message, todo }: LintFinding): string {
  return plainText(
    `${plainText(path, 300)}:${line}  ${severity}  ${rule}  ${plainText(message, 400)}  (${plainText(todo, 300)})`,
    1_200,
  );
}

/** By path, line and rule. */
export function sortFindings(findings: readonly LintFinding[]): readonly LintFinding[] {
  const key = ({ path, line, rule }: LintFinding): string => `${path}\0${String(line).padStart(9, "0")}\0${rule}`;
  return findings.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}
