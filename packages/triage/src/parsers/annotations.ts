import { type Draft, type ParsedReport, relativeFile } from "../draft.ts";
import { jsFailureMessage, MAX_BLOCKS } from "./blocks.ts";

/** An annotation of a check run, as GitHub's API gives it (REST "List check run annotations"; GraphQL has other names). */
export interface Annotation {
  readonly path: string;
  readonly line?: number;
  /** `failure`, `warning` or `notice`, in any case. */
  readonly level: string;
  readonly title?: string;
  readonly message: string;
}

/** A runner's message about a step that failed. It says nothing that the log does not. */
const STEP_FAILED =
  /^(?:Error: )?(?:Process completed with exit code \d{1,6}|The process '[^']{1,300}' failed with exit code \d{1,6})\.?$/;

/** The annotations of failures. Warnings and notices fail no check. */
export function parseAnnotations(annotations: readonly Annotation[], roots: readonly string[]): ParsedReport {
  const failures = annotations.filter(({ level, message }) => level.toLowerCase() === "failure" && !isStepFailed(message));
  return { drafts: failures.slice(0, MAX_BLOCKS).map((annotation) => annotationDraft(annotation, roots)) };
}

/** True if a runner only says that a step has failed. */
export function isStepFailed(message: string): boolean {
  return STEP_FAILED.test(message.trim());
}

/** The finding of an annotation. vitest's title is the test's id; actions/setup-node's matchers take messages of tsc and eslint. */
export function annotationDraft({ path, line, title = "", message }: Annotation, roots: readonly string[]): Draft {
  // A failure that belongs to no file is given the workflow's folder.
  const file = path === "" || path === ".github" ? undefined : relativeFile(path, roots);
  const isTest = file !== undefined && (title === file || title.startsWith(`${file} > `));
  const isTypes = /^(?:error )?TS\d{4,6}\b/.test(message);
  return {
    tool: "annotation",
    severity: "high",
    category: isTest ? "test" : isTypes ? "types" : "unknown",
    ...(file !== undefined && { file }),
    ...(file !== undefined && line !== undefined && { line }),
    ...(isTest && { test: title }),
    message: jsFailureMessage(message.slice(0, 100_000).split("\n")) || title,
  };
}
