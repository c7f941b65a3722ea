import { z } from "zod";
import { hasErrorCode, plainText } from "../../domain/values/text.ts";
import { TrackerBusy } from "../../ports/tracker.ts";
import { type Budget, parseWholeNumber } from "./budget.ts";

/** How long to wait if a refusal for the rate says nothing. Milliseconds; GitHub's documentation asks for a minute. */
const UNTOLD_WAIT_MS = 60_000;
/** Added to the time of a reset, which is in whole seconds. Milliseconds. */
const MARGIN_MS = 1000;

/** The server's schema lacks fields or arguments that the query asks for. */
export class UnknownFields extends Error {
  override readonly name = "UnknownFields";
  readonly fields: readonly string[];

  constructor(fields: readonly string[]) {
    super(`this GitHub server does not know ${plainText(fields.join(", "), 200)}`);
    this.fields = fields;
  }
}

/** A request of which nobody can say whether it was carried out: no answer, half of one, or a server's own failure. */
export class LostAnswer extends Error {
  override readonly name = "LostAnswer";
}

/** The answers of one reading do not fit together: issues changed meanwhile, or a server lags behind. */
export class InconsistentRead extends Error {
  override readonly name = "InconsistentRead";
}

/** GitHub refused a request. */
export class GitHubRefusal extends Error {
  override readonly name = "GitHubRefusal";
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** A failure of Octokit's, as far as we know it; its classes are loaded late. */
const RequestFailure = z.object({
  name: z.literal("HttpError"),
  message: z.string(),
  status: z.number(),
  response: z.object({ headers: z.record(z.string(), z.union([z.string(), z.number()]).optional()) }).optional(),
});

/** One of a GraphQL answer's errors. */
const GraphqlError = z.object({
  message: z.string(),
  type: z.string().optional(),
  path: z.array(z.union([z.string(), z.number()])).optional(),
  extensions: z
    .object({ code: z.string().optional(), fieldName: z.string().optional(), argumentName: z.string().optional() })
    .optional(),
});
type GraphqlError = z.infer<typeof GraphqlError>;
const GraphqlFailure = z.object({
  name: z.literal("GraphqlResponseError"),
  errors: z.array(GraphqlError).min(1),
  data: z.unknown(),
});

/** The status of a refused request; undefined if it was none. */
export function refusedStatus(error: unknown): number | undefined {
  const failure = RequestFailure.safeParse(error);
  return failure.success && failure.data.response !== undefined ? failure.data.status : undefined;
}

/** What was asked, for people: "GitHub refuses to `what`", "the right to read and write `rights`". */
interface Asked {
  readonly what: string;
  readonly rights: string;
}

/** What was thrown by Octokit as an error for people, without a token in it. */
export function describeFailure(error: unknown, { what, rights }: Asked, budget: Budget): Error {
  const failure = RequestFailure.safeParse(error);
  if (!failure.success) return error instanceof Error ? error : new Error(plainText(String(error), 200));
  const { status, message, response } = failure.data;
  const cause = error instanceof Error ? error.cause : undefined;
  if (response === undefined) return unreached(message, cause);
  const busyUntil = retryAt({ status, message, headers: response.headers }, budget);
  if (busyUntil !== undefined) return busy(busyUntil);
  const why = plainText(message.replace(/ - https:\/\/docs\.github\.com\/\S*$/, ""), 200);
  if (status >= 500) return new LostAnswer(`GitHub failed to ${what} (${status}): ${why}`);
  const hint = status === 403 ? `; the token needs the right to read and write ${rights} there` : "";
  return new GitHubRefusal(`GitHub refuses to ${what} (${status}): ${why}${hint}`, status);
}

const UNREACHED = "GitHub cannot be reached";

/** True for an error that says that no answer of GitHub came: the network or the address is at fault, and not the token. */
export function isUnreached({ message }: Error): boolean {
  return message.startsWith(`${UNREACHED}: `);
}

function unreached(message: string, cause: unknown): Error {
  const inner = cause instanceof Error && cause.cause !== undefined ? cause.cause : cause;
  const text = `${UNREACHED}: ${plainText(message, 200)}`;
  const isUnsent = hasErrorCode(inner, "ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH");
  return isUnsent ? new Error(text) : new LostAnswer(text);
}

function busy(until: number): TrackerBusy {
  return new TrackerBusy("GitHub takes no more requests for now (rate limit)", until);
}

/** When a request that was refused for the rate may be repeated, by the local clock; undefined if that is not why. */
function retryAt(
  {
    status,
    message,
    headers,
  }: { status: number; message: string; headers: Readonly<Record<string, string | number | undefined>> },
  budget: Budget,
): number | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const seconds = parseWholeNumber(headers["retry-after"]);
  if (seconds !== undefined) return budget.localNow() + seconds * 1000 + MARGIN_MS;
  const reset = parseWholeNumber(headers["x-ratelimit-reset"]);
  if (headers["x-ratelimit-remaining"] === "0" && reset !== undefined) return budget.localTime(reset * 1000 + MARGIN_MS);
  if (status === 429 || /\b(?:secondary rate|rate limit|abuse)\b/i.test(message)) return budget.localNow() + UNTOLD_WAIT_MS;
  return undefined;
}

/**
 * The data of a GraphQL answer with errors, if they say no more than that single issues (aliases `n…`), or repositories that only a text
 * names (`x…`), do not exist. Any other error makes the answer worthless: throws UnknownFields, TrackerBusy, or an Error of one line.
 */
export function partialData(error: unknown, budget: Budget): unknown {
  const failure = GraphqlFailure.safeParse(error);
  if (!failure.success) throw isOddAnswer(error) ? new Error("GitHub gave an answer whose errors are not understood") : error;
  const { errors, data } = failure.data;
  const unknown = errors.flatMap(unknownField);
  if (unknown.length > 0) throw new UnknownFields(unknown);
  const limited = rateLimitIn(errors, budget);
  if (limited !== undefined) throw limited;
  const real = errors.find((each) => !isMissingIssue(each));
  if (real === undefined) return data;
  if (isMissingRepository(real))
    throw new Error(
      `GitHub has no such repository, or the token may not see it (${plainText(real.message, 300)}): correct tracker.repo or tracker.repos`,
    );
  throw new Error(`GitHub answers with an error: ${plainText(real.message, 300)}`);
}

/** Why a mutation was not carried out, if the answer says so; else what was thrown. */
export function mutationRefusal(error: unknown, what: string, budget: Budget): unknown {
  const failure = GraphqlFailure.safeParse(error);
  if (!failure.success)
    return isOddAnswer(error) ? new LostAnswer("GitHub gave an answer whose errors are not understood") : error;
  const { errors } = failure.data;
  const limited = rateLimitIn(errors, budget);
  if (limited !== undefined) return limited;
  const why = plainText(errors.map(({ message }) => message).join("; "), 300);
  return new GitHubRefusal(`GitHub refuses to ${what}: ${why}`, 422);
}

function rateLimitIn(errors: readonly GraphqlError[], budget: Budget): TrackerBusy | undefined {
  if (!errors.some(({ type }) => type === "RATE_LIMITED" || type === "RATE_LIMIT")) return undefined;
  return busy((budget.resetTime("graphql") ?? budget.localNow() + UNTOLD_WAIT_MS) + MARGIN_MS);
}

/** True for what Octokit throws of an answer that is no answer of GraphQL. Its message may hold anything that the server said. */
function isOddAnswer(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof Error && error.name === "GraphqlResponseError");
}

/** The field or argument that an error calls unknown (GitHub's words; older servers give no code). */
function unknownField({ message, extensions = {} }: GraphqlError): readonly string[] {
  const { code, fieldName, argumentName } = extensions;
  if (code === "undefinedField" && fieldName !== undefined) return [fieldName];
  if (code === "argumentNotAccepted" && argumentName !== undefined) return [argumentName];
  const [, field] = /^Field '(\w+)' doesn't exist on type/.exec(message) ?? [];
  const [, argument] = /^Field '\w+' doesn't accept argument '(\w+)'/.exec(message) ?? [];
  return [field, argument].filter((name) => name !== undefined);
}

/** True if a repository of the batch (aliases `r…`) is not there. */
function isMissingRepository({ type, path = [] }: GraphqlError): boolean {
  return type === "NOT_FOUND" && path.length === 1 && /^r\d+$/.test(String(path[0]));
}

function isMissingIssue({ type, path = [] }: GraphqlError): boolean {
  if (type !== "NOT_FOUND") return false;
  const [repository = "", issue] = path.map(String);
  return issue === undefined ? /^x\d+$/.test(repository) : path.length === 2 && /^n\d+$/.test(issue);
}
