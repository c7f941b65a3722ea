import { type DocumentNode, execute, type GraphQLError, parse, specifiedRules, validate } from "graphql";
import type { Forge } from "./forge/forge.ts";
import { QueryError } from "./nodes.ts";
import { costOf } from "./query-cost.ts";
import { rootOf } from "./resolvers.ts";
import { type Age, schemaOf } from "./schema.ts";
import type { State } from "./state.ts";

/** A query, and who asks. */
export interface GraphqlRequest {
  readonly state: State;
  readonly viewer: string;
  readonly age: Age;
  readonly web: string;
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Takes points from the budget; false if they are not there. */
  readonly take: (points: number) => boolean;
  readonly told: (cost: number) => object | null;
  readonly forge: Forge;
  readonly canWrite: boolean;
}

/** Answers a query as GitHub does: with status 200, and errors in its words. */
export async function answerGraphql(request: GraphqlRequest): Promise<object> {
  const { query, variables, age, state, viewer, web, forge, canWrite } = request;
  const schema = schemaOf(age);
  const { document, wrong } = checked(age, query);
  if (wrong.length > 0) return { errors: wrong.map(invalid) };
  const cost = costOf(schema, document, variables);
  if ("message" in cost) return { errors: [cost] };
  if (!request.take(cost.points))
    return { errors: [{ type: "RATE_LIMITED", message: "API rate limit exceeded for user ID 1." }] };
  const rootValue = rootOf({ state, viewer, web, forge, canWrite, rateLimit: request.told(cost.points) });
  const { data, errors } = await execute({ schema, document, variableValues: variables, rootValue });
  return { data, ...(errors !== undefined && { errors: errors.map(failed) }) };
}

/** True if a document changes something: it is then about the state of now, however stale reads are. */
export function isMutation(query: string): boolean {
  return /(?:^|\})\s*mutation\b/.test(query);
}

/** Queries that are kept. A query names the issues that it asks for, so that there is no end of them. */
const MOST_KNOWN = 200;

/** Queries that were checked before: the schema is large, and most queries come again. */
const known = new Map<string, { readonly document: DocumentNode; readonly wrong: readonly GraphQLError[] }>();

function checked(age: Age, query: string): { readonly document: DocumentNode; readonly wrong: readonly GraphQLError[] } {
  const key = `${age} ${query}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const document = parse(query, { noLocation: true });
  const result = { document, wrong: validate(schemaOf(age), document, specifiedRules) };
  if (known.size === MOST_KNOWN) known.clear();
  known.set(key, result);
  return result;
}

/** GitHub's words for what a query must not have. */
function invalid({ message }: GraphQLError): object {
  const [, field, type] = /^Cannot query field "(\w+)" on type "(\w+)"/.exec(message) ?? [];
  if (field !== undefined)
    return {
      path: ["fragment Ticket", field],
      extensions: { code: "undefinedField", typeName: type, fieldName: field },
      message: `Field '${field}' doesn't exist on type '${type}'`,
    };
  const [, argument, of] = /^Unknown argument "(\w+)" on field "\w+\.(\w+)"/.exec(message) ?? [];
  if (argument !== undefined)
    return {
      path: ["fragment Ticket", of, argument],
      extensions: { code: "argumentNotAccepted", name: of, typeName: "Field", argumentName: argument },
      message: `Field '${of}' doesn't accept argument '${argument}'`,
    };
  return { message, extensions: { code: "invalid" } };
}

function failed({ message, path, originalError }: GraphQLError): object {
  const type = originalError instanceof QueryError ? originalError.type : undefined;
  return { ...(type !== undefined && { type }), ...(path !== undefined && { path }), message };
}
