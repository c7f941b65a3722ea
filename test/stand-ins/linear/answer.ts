import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  buildSchema,
  type DocumentNode,
  defaultFieldResolver,
  executeSync,
  type FormattedExecutionResult,
  type GraphQLFieldResolver,
  GraphQLScalarType,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  isScalarType,
  Kind,
  type OperationDefinitionNode,
  parse,
  validate,
} from "graphql";
import { queriesOn } from "./api.ts";
import { complexityOf, MAX_COMPLEXITY } from "./complexity.ts";
import type { World } from "./model.ts";
import type { Writer } from "./mutations.ts";

/** The part of Linear's schema that the stand-in has. */
export const SUBSET = ["schema.graphql", "schema.identity.graphql", "schema.inputs.graphql"]
  .map((name) => readFileSync(join(import.meta.dirname, name), "utf8"))
  .join("\n");

const schema = buildSchema(SUBSET);
checkTimes();

/** A request as it came. */
export interface Asked {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** A request that was checked. */
export interface Checked {
  readonly document: DocumentNode;
  readonly variables: Readonly<Record<string, unknown>>;
  /** The name that the query gives its operation. */
  readonly name: string;
  readonly isWrite: boolean;
  readonly complexity: number;
}

/** A refusal of the whole request. */
export interface Refused {
  readonly message: string;
  readonly code: string;
}

/** Queries that were parsed and fit the schema: clients send the same ones again and again. */
const valid = new Map<string, DocumentNode>();

/** Checks a request against the schema and the limit of its complexity. */
export function check({ query, variables }: Asked): Checked | Refused {
  let document = valid.get(query);
  try {
    document ??= parse(query);
  } catch (error) {
    return { message: String(error), code: "GRAPHQL_PARSE_FAILED" };
  }
  const [invalid] = valid.has(query) ? [] : validate(schema, document);
  if (invalid !== undefined) return { message: invalid.message, code: "GRAPHQL_VALIDATION_FAILED" };
  valid.set(query, document);
  const operation = document.definitions.find((each): each is OperationDefinitionNode => each.kind === Kind.OPERATION_DEFINITION);
  const complexity = complexityOf(document, schema, variables);
  if (complexity > MAX_COMPLEXITY)
    return { message: `Query too complex: ${complexity} points, at most ${MAX_COMPLEXITY}`, code: "INPUT_ERROR" };
  const isWrite = operation?.operation === "mutation";
  return { document, variables, name: operation?.name?.value ?? "", isWrite, complexity };
}

/** The answer to a request. Its own values are checked against the schema too. */
export function answer(
  { document, variables }: Checked,
  { world, writer, viewer }: { readonly world: World; readonly writer: Writer; readonly viewer: string },
): FormattedExecutionResult {
  const result = executeSync({
    schema,
    document,
    variableValues: variables,
    rootValue: { ...queriesOn(world, viewer), ...writer.as(viewer) },
    fieldResolver: withDefaults,
  });
  const { data, errors } = result;
  return { ...(data !== undefined && { data }), ...(errors && { errors: errors.map((error) => error.toJSON()) }) };
}

/** Fields that the stand-in's world does not have get a harmless value of their type. */
const withDefaults: GraphQLFieldResolver<unknown, unknown> = (source, given, context, info) => {
  const value: unknown = defaultFieldResolver(source, given, context, info);
  if (value !== undefined || !isNonNullType(info.returnType)) return value;
  const type = getNullableType(info.returnType);
  if (isListType(type)) return [];
  if (isEnumType(type)) return type.getValues()[0]?.value;
  if (isScalarType(type))
    return { Boolean: false, Int: 0, Float: 0, JSONObject: {}, DateTime: "2026-01-01T00:00:00.000Z" }[type.name] ?? "";
  return undefined;
};

function checkTimes(): void {
  const time = schema.getType("DateTime");
  if (!(time instanceof GraphQLScalarType)) throw new Error("the schema has no DateTime");
  time.serialize = (value: unknown) => {
    if (typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value)) return value;
    throw new TypeError(`${String(value)} is no time`);
  };
}
