/**
 * Trims GitHub's OpenAPI description to what the GitHub adapter sends, for its stand-in:
 * `node scripts/trim-openapi.ts FILE`, where FILE is `generated/api.github.com.json` of the npm package @octokit/openapi 23.0.2. The
 * package is 394 MB, so it is no dependency: `npm pack @octokit/openapi@23.0.2` in a temporary folder brings it.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const TARGET = join(import.meta.dirname, "../test/stand-ins/github/openapi.json");

/** The methods that the adapter uses, by path. */
const USED: Readonly<Record<string, readonly string[]>> = {
  "/repos/{owner}/{repo}/issues": ["get", "post"],
  "/repos/{owner}/{repo}/issues/{issue_number}": ["patch"],
  "/repos/{owner}/{repo}/issues/comments": ["get"],
  "/repos/{owner}/{repo}/issues/comments/{comment_id}": ["patch", "delete"],
  "/repos/{owner}/{repo}/issues/{issue_number}/comments": ["get", "post"],
  "/repos/{owner}/{repo}/issues/{issue_number}/labels": ["post"],
  "/repos/{owner}/{repo}/issues/{issue_number}/labels/{name}": ["delete"],
  "/repos/{owner}/{repo}/labels": ["post"],
  "/repos/{owner}/{repo}": ["get"],
  "/repos/{owner}/{repo}/branches/{branch}": ["get"],
  "/repos/{owner}/{repo}/branches/{branch}/protection/required_status_checks": ["get"],
  "/repos/{owner}/{repo}/rules/branches/{branch}": ["get"],
  "/repos/{owner}/{repo}/git/ref/{ref}": ["get"],
  "/repos/{owner}/{repo}/git/refs/{ref}": ["delete"],
  "/repos/{owner}/{repo}/pulls": ["get", "post"],
  "/repos/{owner}/{repo}/pulls/{pull_number}": ["get", "patch"],
  "/repos/{owner}/{repo}/pulls/{pull_number}/merge": ["get", "put"],
  "/repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers": ["get", "post", "delete"],
  "/repos/{owner}/{repo}/pulls/{pull_number}/reviews": ["get", "post"],
  "/repos/{owner}/{repo}/pulls/{pull_number}/comments": ["get", "post"],
  "/repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies": ["post"],
  "/repos/{owner}/{repo}/commits/{ref}/check-runs": ["get"],
  "/repos/{owner}/{repo}/commits/{ref}/status": ["get"],
  "/repos/{owner}/{repo}/statuses/{sha}": ["post"],
  "/repos/{owner}/{repo}/check-runs/{check_run_id}": ["get"],
  "/repos/{owner}/{repo}/check-runs/{check_run_id}/annotations": ["get"],
  "/repos/{owner}/{repo}/actions/workflows": ["get"],
  "/repos/{owner}/{repo}/actions/runs": ["get"],
  "/repos/{owner}/{repo}/actions/runs/{run_id}": ["get"],
  "/repos/{owner}/{repo}/actions/runs/{run_id}/jobs": ["get"],
  "/repos/{owner}/{repo}/actions/runs/{run_id}/artifacts": ["get"],
  "/repos/{owner}/{repo}/actions/runs/{run_id}/rerun-failed-jobs": ["post"],
  "/repos/{owner}/{repo}/actions/jobs/{job_id}": ["get"],
  "/repos/{owner}/{repo}/actions/jobs/{job_id}/logs": ["get"],
  "/repos/{owner}/{repo}/actions/jobs/{job_id}/rerun": ["post"],
  "/repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}": ["get"],
};

/** Keys that say nothing about what is valid. */
const WORDS = new Set([
  "description",
  "summary",
  "example",
  "examples",
  "externalDocs",
  "x-github",
  "tags",
  "operationId",
  "title",
]);

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type JsonObject = { readonly [key: string]: Json };

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The value without words. A property may be called `title` or `description`, so the names of properties stay. */
function withoutWords(value: Json, isNames = false): Json {
  if (Array.isArray(value)) return value.map((item: Json) => withoutWords(item));
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([key]) => isNames || !WORDS.has(key));
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutWords(inner, !isNames && key === "properties")]));
}

function at(document: JsonObject, pointer: string): Json {
  const value = pointer
    .slice(2)
    .split("/")
    .reduce<Json | undefined>((inner, key) => (isObject(inner) ? inner[key] : undefined), document);
  if (value === undefined) throw new Error(`${pointer} leads nowhere`);
  return value;
}

/** All that a value refers to, as pointers. */
function references(value: Json): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(references);
  if (!isObject(value)) return [];
  const { $ref } = value;
  return [...(typeof $ref === "string" ? [$ref] : []), ...Object.values(value).flatMap(references)];
}

function pathsOf(document: JsonObject): JsonObject {
  const paths = Object.entries(USED).map(([path, methods]) => {
    const item = at(document, "#/paths") as JsonObject;
    const all = item[path];
    if (!isObject(all)) throw new Error(`it has no path ${path}`);
    return [path, withoutWords(Object.fromEntries(methods.map((method) => [method, all[method] ?? null])))] as const;
  });
  return Object.fromEntries(paths);
}

function trim(document: JsonObject): JsonObject {
  const paths = pathsOf(document);
  const components: Record<string, Record<string, Json>> = {};
  const pending = [...references(paths)];
  for (const pointer of pending) {
    const [, , kind = "", name = ""] = pointer.split("/");
    const group = components[kind] ?? {};
    components[kind] = group;
    if (Object.hasOwn(group, name)) continue;
    const value = withoutWords(at(document, pointer));
    group[name] = value;
    pending.push(...references(value));
  }
  const sorted = Object.fromEntries(
    Object.entries(components).map(([kind, group]) => [
      kind,
      Object.fromEntries(Object.entries(group).sort(([a], [b]) => (a < b ? -1 : 1))),
    ]),
  );
  const { version, license } = document["info"] as JsonObject;
  return {
    openapi: document["openapi"] ?? "",
    info: { title: "GitHub's REST API, trimmed by scripts/trim-openapi.ts", version: version ?? "", license: license ?? null },
    paths,
    components: sorted,
  };
}

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error("usage: node scripts/trim-openapi.ts api.github.com.json");
const document: JsonObject = JSON.parse(readFileSync(file, "utf8"));
writeFileSync(TARGET, `${JSON.stringify(trim(document), null, 1)}\n`);
console.error(`wrote ${TARGET}`);
