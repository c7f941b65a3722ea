import { readFileSync } from "node:fs";
import { Ajv, type ValidateFunction } from "ajv";

type Json = Readonly<Record<string, unknown>>;

/** An operation of GitHub's REST API, with the parameters of a path that fits. */
export interface Operation {
  readonly method: string;
  /** The path as GitHub's description has it, such as `/repos/{owner}/{repo}/issues`. */
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
}

const document: Json = JSON.parse(readFileSync(new URL("./openapi.json", import.meta.url), "utf8"));
const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema(withNulls(document) as Json, "github");
const validators = new Map<string, ValidateFunction>();
/** Ajv keeps each schema object that it was given. */
const ofParameters = new Map<Json, ValidateFunction>();

/** `nullable` of OpenAPI 3.0 as JSON Schema has it, beside `$ref`, `enum` and all. */
function withNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNulls);
  if (typeof value !== "object" || value === null) return value;
  const { nullable, ...rest } = value as { nullable?: unknown };
  const inner = Object.fromEntries(Object.entries(rest).map(([key, each]) => [key, withNulls(each)]));
  return nullable === true ? { anyOf: [{ type: "null" }, inner] } : inner;
}

/** The operation that a request is; undefined if GitHub's description, as far as it is kept here, has none. */
export function operationOf(method: string, path: string): Operation | undefined {
  // A reference is the whole rest of its address.
  const [, head, ref] = /^(\/repos\/[^/]+\/[^/]+\/git\/refs?)\/(.+)$/.exec(path) ?? [];
  const parts = (ref === undefined ? path : `${head}/${ref.replaceAll("/", "%2F")}`).split("/");
  for (const [template, methods] of Object.entries(document["paths"] as Record<string, Json>)) {
    const names = template.split("/");
    const fits = names.length === parts.length && names.every((name, at) => name === parts[at] || name.startsWith("{"));
    // `/issues/comments` is no issue's number.
    const isLiteral = names.every((name, at) => !/^\{(?:issue|pull)_number\}/.test(name) || /^\d+$/.test(parts[at] ?? ""));
    if (!fits || !isLiteral || methods[method.toLowerCase()] === undefined) continue;
    const parameters = names.flatMap((name, at) =>
      name.startsWith("{") ? [[name.slice(1, -1), decodeURIComponent(parts[at] ?? "")]] : [],
    );
    return { method: method.toLowerCase(), path: template, parameters: Object.fromEntries(parameters) };
  }
  return undefined;
}

/** What is wrong with a request, by GitHub's description; undefined if nothing is. */
export function wrongIn(operation: Operation, query: URLSearchParams, body: unknown): string | undefined {
  const item = itemOf(operation);
  for (const raw of (item["parameters"] ?? []) as Json[]) {
    const parameter = resolved(raw) as { name: string; in: string; required?: boolean; schema: Json };
    const text = parameter.in === "path" ? operation.parameters[parameter.name] : (query.get(parameter.name) ?? undefined);
    if (text === undefined && parameter.required !== true) continue;
    const value = parameter.schema["type"] === "integer" ? Number(text) : text;
    const validate = validatorOf(parameter.schema);
    if (!validate(value)) return `${parameter.name} ${ajv.errorsText(validate.errors)}`;
  }
  const known = new Set(((item["parameters"] ?? []) as Json[]).map((each) => (resolved(each) as { name: string }).name));
  for (const name of query.keys()) if (!known.has(name)) return `there is no parameter ${name}`;
  const schema = at(item, "requestBody", "content", "application/json", "schema");
  if (body === undefined && at(item, "requestBody", "required") !== true) return undefined;
  if (schema === undefined) return body === undefined ? undefined : "there must be no body";
  return mismatch(pointer(operation, "requestBody/content/application~1json/schema"), body);
}

/** What is wrong with an answer of the stand-in; undefined if nothing is. */
export function wrongAnswer(operation: Operation, status: number, body: unknown): string | undefined {
  const response = at(itemOf(operation), "responses", String(status));
  // GitHub answers so to any request that a token has no right to, also where its description does not say it.
  if (response === undefined && (status === 403 || status === 404)) return mismatch("#/components/schemas/basic-error", body);
  if (response === undefined) return `GitHub's description has no answer ${status}`;
  const target = resolved(response as Json);
  const schema = at(target as Json, "content", "application/json", "schema");
  // Some refusals are described by their number alone; they have the body of all others.
  if (schema === undefined && status >= 400) return mismatch("#/components/schemas/basic-error", body);
  if (schema === undefined) return body === undefined ? undefined : "there must be no body";
  const base =
    typeof (response as Json)["$ref"] === "string"
      ? String((response as Json)["$ref"])
      : pointer(operation, `responses/${status}`);
  return mismatch(`${base}/content/application~1json/schema`, body);
}

function mismatch(reference: string, value: unknown): string | undefined {
  const validate = validators.get(reference) ?? ajv.compile({ $ref: `github${reference}` });
  validators.set(reference, validate);
  return validate(value) ? undefined : ajv.errorsText(validate.errors?.slice(0, 5));
}

function validatorOf(parameter: Json): ValidateFunction {
  const validate = ofParameters.get(parameter) ?? ajv.compile(withNulls(parameter) as Json);
  ofParameters.set(parameter, validate);
  return validate;
}

function pointer({ path, method }: Operation, rest: string): string {
  return `#/paths/${encodeURIComponent(path.replace(/~/g, "~0").replace(/\//g, "~1"))}/${method}/${rest}`;
}

function itemOf({ path, method }: Operation): Json {
  return at(document, "paths", path, method) as Json;
}

function resolved(value: Json): unknown {
  const reference = value["$ref"];
  return typeof reference === "string" ? at(document, ...reference.slice(2).split("/")) : value;
}

function at(value: Json, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === "object" && inner !== null ? (inner as Json)[key] : undefined),
    value,
  );
}
