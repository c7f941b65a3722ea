import { z } from "zod";
import type { RemoteCheck } from "../../../domain/forge/pull-request.ts";
import { plainText } from "../../../domain/values/text.ts";
import { Conclusion, isPassed } from "./conclusions.ts";

/** Length of a check's name, in characters. */
const MAX_NAME = 200;
/** Length of an address, in characters. */
const MAX_URL = 500;

/** The fields of a check in queries with a variable `$number`. */
export const CHECK_FIELDS = `__typename
  ... on CheckRun { databaseId name status conclusion startedAt completedAt detailsUrl isRequired(pullRequestNumber: $number) checkSuite { id status app { slug } workflowRun { event workflow { id } } } }
  ... on StatusContext { context state targetUrl createdAt isRequired(pullRequestNumber: $number) }`;

const CheckRun = z.object({
  __typename: z.literal("CheckRun"),
  databaseId: z.number(),
  name: z.string(),
  status: z.enum(["COMPLETED", "IN_PROGRESS", "PENDING", "QUEUED", "REQUESTED", "WAITING"]),
  conclusion: Conclusion.nullable(),
  startedAt: z.string().nullish(),
  completedAt: z.string().nullish(),
  detailsUrl: z.string().nullable(),
  isRequired: z.boolean(),
  checkSuite: z.object({
    id: z.string(),
    status: z.string(),
    app: z.object({ slug: z.string() }).nullable(),
    workflowRun: z.object({ event: z.string(), workflow: z.object({ id: z.string() }) }).nullable(),
  }),
});

const StatusContext = z.object({
  __typename: z.literal("StatusContext"),
  context: z.string(),
  state: z.enum(["ERROR", "EXPECTED", "FAILURE", "PENDING", "SUCCESS"]),
  targetUrl: z.string().nullable(),
  createdAt: z.string(),
  isRequired: z.boolean(),
});

/** A check of a commit, as GitHub's GraphQL has it: a check run, or a status of the older kind. */
export const GitHubCheck = z.discriminatedUnion("__typename", [CheckRun, StatusContext]);
export type GitHubCheck = z.infer<typeof GitHubCheck>;

/**
 * The checks that count, by the names that the rules of the base require. A later run of an app replaces its earlier one of the same name,
 * workflow and event, but not another job of the same name in the same run of the workflow, such as one of a matrix. A job of another workflow may have the name of a required check, and hides nothing.
 */
export function currentChecks(all: readonly GitHubCheck[], required: ReadonlySet<string>): readonly RemoteCheck[] {
  const newest = newestByKey(all, checkIdentity, checkAge);
  const siblings = all.filter((check) =>
    newest.some((later) => checkIdentity(later) === checkIdentity(check) && isSibling(check, later)),
  );
  return [...newest, ...siblings].map((check) => {
    const isRun = check.__typename === "CheckRun";
    const name = checkName(isRun ? check.name : check.context);
    const url = isRun ? check.detailsUrl : check.targetUrl;
    return {
      name,
      state: checkState(check),
      isRequired: check.isRequired || required.has(name),
      ...(isRun && ofRun(check)),
      ...(url !== null && { url: plainUrl(url) }),
    };
  });
}

/** The workflows of a commit by its checks. A check suite of GitHub Actions is one run of a workflow, and over once all of its jobs are. */
export function workflowProgress(all: readonly GitHubCheck[]): "none" | "running" | "over" {
  const suites = all.flatMap((check) => (check.__typename === "CheckRun" ? [check.checkSuite] : []));
  const ofWorkflows = suites.filter(({ workflowRun }) => workflowRun !== null);
  if (ofWorkflows.length === 0) return "none";
  return ofWorkflows.every(({ status }) => status === "COMPLETED") ? "over" : "running";
}

/** A check's name, safe for a terminal. */
export function checkName(name: string): string {
  return plainText(name, MAX_NAME);
}

/** The address of a page at GitHub, safe for a terminal. */
export function plainUrl(url: string): string {
  return plainText(url, MAX_URL);
}

/** The newest of the items that have a key in common, in the order of their first ones. */
export function newestByKey<T>(items: readonly T[], keyOf: (item: T) => string, ageOf: (item: T) => number): readonly T[] {
  const newest = new Map<string, T>();
  for (const item of items) {
    const known = newest.get(keyOf(item));
    if (known === undefined || ageOf(item) >= ageOf(known)) newest.set(keyOf(item), item);
  }
  return [...newest.values()];
}

/** Tells that a job was skipped, and the run of a workflow in which it was that or has failed. */
function ofRun({ status, conclusion, checkSuite: { id, workflowRun } }: z.infer<typeof CheckRun>): Partial<RemoteCheck> {
  const isSkipped = status === "COMPLETED" && conclusion === "SKIPPED";
  const hasFailed = status === "COMPLETED" && conclusion !== null && !isPassed(conclusion);
  return { isSkipped: isSkipped || undefined, run: (isSkipped || hasFailed) && workflowRun !== null ? id : undefined };
}

function checkAge(check: GitHubCheck): number {
  return check.__typename === "CheckRun" ? check.databaseId : Date.parse(check.createdAt);
}

function isSibling(check: GitHubCheck, later: GitHubCheck): boolean {
  if (check === later || check.__typename !== "CheckRun" || later.__typename !== "CheckRun") return false;
  return check.checkSuite.id === later.checkSuite.id && overlap(check.completedAt, later.startedAt);
}

/** True if a run had not ended when the other one began, so that it is no earlier attempt of it: none is started again before it has ended. */
export function overlap(completedAt: string | null | undefined, startedAt: string | null | undefined): boolean {
  return Date.parse(completedAt ?? "") > Date.parse(startedAt ?? "");
}

function checkIdentity(check: GitHubCheck): string {
  if (check.__typename === "StatusContext") return JSON.stringify(["status", check.context]);
  const { app, workflowRun } = check.checkSuite;
  return JSON.stringify(["run", app?.slug, workflowRun?.workflow.id, workflowRun?.event, check.name]);
}

function checkState(check: GitHubCheck): RemoteCheck["state"] {
  if (check.__typename === "CheckRun") {
    if (check.status === "IN_PROGRESS") return "running";
    if (check.status !== "COMPLETED" || check.conclusion === null) return "waiting";
    return isPassed(check.conclusion) ? "passed" : "failed";
  }
  if (check.state === "SUCCESS") return "passed";
  return check.state === "PENDING" || check.state === "EXPECTED" ? "waiting" : "failed";
}
