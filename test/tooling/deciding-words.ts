import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";

const ROOT = join(import.meta.dirname, "../..");

/** The list of the places where words are read. */
export const PAGE = "test/tooling/deciding-words.md";

/** Where a run decides. What only reads files of a batch, commands or a change's own text is elsewhere. */
const SOURCES = [
  "src/loop/**/*.ts",
  "src/adapters/**/*.ts",
  "src/domain/{schedule,run,outbox,ci,forge,results}/**/*.ts",
  "packages/{triage/src,test-evidence/src/reports,model-gateway/src/server}/**/*.ts",
];

/** Names of what programs, services and agents print. */
const WORDS =
  /^(?:stderr|stdout|tail|output|message|errorMessage|reason|says|said|told|words|logs?|why|problem|refusal|lines?)$/i;
/** Searches by a pattern that is data: a list of classes. */
const BY_DATA = new Set(["pattern", "matcher"]);
const ON_ARGUMENT = new Set(["test", "exec", "matcher"]);
const ON_OBJECT = new Set(["match", "matchAll", "includes", "startsWith", "endsWith", "search", "indexOf"]);

type Node = { readonly type: string } & Readonly<Record<string, unknown>>;

/** The expressions of a source that look for something in words. */
export function readingsIn(source: string): readonly string[] {
  const found: string[] = [];
  const visit = (node: Node): void => {
    if (readsWords(node)) found.push(source.slice(Number(node["start"]), Number(node["end"])).replace(/\s+/g, " "));
    for (const child of childrenOf(node)) visit(child);
  };
  visit(parseSync("x.ts", source).program as unknown as Node);
  return found;
}

function readsWords(node: Node): boolean {
  if (node.type === "BinaryExpression") {
    const sides = [node["left"], node["right"]] as [Node, Node];
    return /^[!=]==?$/.test(String(node["operator"])) && sides.some(isText) && sides.some(isNamedWords);
  }
  const callee = node["callee"] as Node | undefined;
  if (node.type !== "CallExpression" || callee?.type !== "MemberExpression") return false;
  const name = String((callee["property"] as Node)["name"]);
  if (BY_DATA.has(name) || (ON_ARGUMENT.has(name) && BY_DATA.has(String((callee["object"] as Node)["name"])))) return true;
  if (ON_ARGUMENT.has(name)) return (node["arguments"] as Node[]).some(isWords);
  return ON_OBJECT.has(name) && isWords(callee["object"] as Node);
}

function isText(node: Node): boolean {
  return node.type === "Literal" && typeof node["value"] === "string" && node["value"].length > 3;
}

/** True for a name or a property of words, and for those of a call without arguments (`trim`). */
function isNamedWords(node: Node): boolean {
  const callee = node["callee"] as Node | undefined;
  if (callee !== undefined) return callee.type === "MemberExpression" && isNamedWords(callee["object"] as Node);
  const name = node.type === "MemberExpression" ? (node["property"] as Node)["name"] : node["name"];
  return node.type !== "UnaryExpression" && WORDS.test(String(name));
}

/** True if an expression is made of words, other than inside a function that it is given. */
function isWords(node: Node): boolean {
  if (/Function/.test(node.type)) return false;
  if (node.type === "Identifier" && WORDS.test(String(node["name"]))) return true;
  return childrenOf(node).some(isWords);
}

function childrenOf(node: Node): readonly Node[] {
  return Object.values(node)
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .filter(isNode);
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

/** The readings of words in the sources, by file. */
export function readings(): ReadonlyMap<string, readonly string[]> {
  const files = globSync(SOURCES, { cwd: ROOT }).toSorted();
  const all = files.map((file) => [file, readingsIn(readFileSync(join(ROOT, file), "utf8"))] as const);
  return new Map(all.filter(([, found]) => found.length > 0));
}

/** A row: a file and how often it reads words, or a folder of which no reading decides. */
export interface Row {
  readonly place: string;
  /** Undefined for a folder. */
  readonly times: number | undefined;
  readonly decides: string;
  readonly writer: string;
}

/** The rows of the list. */
export function rows(page = readFileSync(join(ROOT, PAGE), "utf8")): readonly Row[] {
  return [...page.matchAll(/^\| `((?:src|packages)\/[^`]+)` \| (\d+|any) \| ([^|]+) \| ([^|]+) \|$/gm)].map(
    ([, place = "", times = "", decides = "", writer = ""]) => ({
      place,
      times: times === "any" ? undefined : Number(times),
      decides: decides.trim(),
      writer: writer.trim(),
    }),
  );
}
