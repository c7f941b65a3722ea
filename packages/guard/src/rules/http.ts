import { optionValue, readOptions } from "../options.ts";
import type { Call, Inspector } from "../paths.ts";
import type { RuleId } from "../rule-table.ts";
import { MARK, unknownAt } from "../shell/scope.ts";
import { judgeSql } from "./databases.ts";

const CURL = {
  letters: "XHdFouUTAbcDeEKmrtwxYyzC",
  names: (
    "request header data data-raw data-binary data-urlencode json form output user upload-file user-agent cookie cookie-jar max-time " +
    "proxy write-out url unix-socket cacert cert key retry retry-delay connect-timeout oauth2-bearer resolve"
  ).split(" "),
};
const WGET = { letters: "OoPUtTe", names: ["method", "header", "body-data", "post-data", "output-document", "user", "password"] };
const HTTPIE = { letters: "aAos", names: ["auth", "auth-type", "output", "session", "timeout", "raw"] };
const METHOD = /^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)$/;

/** A request of a client of HTTP. */
interface Request {
  readonly method: string;
  readonly urls: readonly string[];
  readonly body: string;
  readonly socket?: string;
}

/** Judges what `curl`, `wget`, `http` and `xh` ask a server to delete. A server on this machine may be asked for anything. */
export function judgeHttp(call: Call, guard: Inspector): void {
  const { name, args, stdin } = call;
  keepDownload(call, guard);
  const request = Object.hasOwn(CLIENTS, name) ? CLIENTS[name]?.(args) : undefined;
  if (request === undefined) return;
  const { method, urls, body, socket = "" } = request;
  const text = /^@-$/.test(body) ? (stdin ?? "") : body;
  if (/docker|podman/.test(socket)) {
    if (method === "DELETE" || urls.some((url) => /\/(?:prune|kill|stop)\b/.test(url))) guard.report("docker-delete");
    return;
  }
  for (const url of urls) judgeRequest(method, url, text, guard);
}

/** Remembers the file that a download makes: nobody knows what is in it. */
function keepDownload({ name, args, scope }: Call, guard: Inspector): void {
  if (name !== "curl" && name !== "wget") return;
  const options = readOptions(args, name === "curl" ? CURL : WGET);
  const file = name === "curl" ? optionValue(options, "o", "output") : optionValue(options, "O", "output-document");
  const isNamed = name === "curl" ? options.shorts.has("O") || options.longs.includes("remote-name") : true;
  const urls = options.operands.map((url) => url.replace(/[?#].*$/, ""));
  const files = file !== undefined ? [file] : isNamed ? urls.map((url) => url.slice(url.lastIndexOf("/") + 1)) : [];
  for (const each of files) if (each !== "" && each !== "-") guard.keep(each, MARK.output, scope);
}

type ReadRequest = (args: readonly string[]) => Request;

const CLIENTS: Readonly<Record<string, ReadRequest>> = {
  curl: readCurl,
  wget: readWget,
  http: readHttpie,
  https: readHttpie,
  xh: readHttpie,
  xhs: readHttpie,
};

function readCurl(args: readonly string[]): Request {
  const options = readOptions(args, CURL);
  const body = optionValue(options, "d", "data", "data-raw", "data-binary", "data-urlencode", "json") ?? "";
  const socket = optionValue(options, "unix-socket");
  const method = optionValue(options, "X", "request") ?? (body === "" ? "GET" : "POST");
  const urls = [...options.operands, ...(options.values.get("url") ?? [])];
  return { method: method.toUpperCase(), urls, body, socket };
}

function readWget(args: readonly string[]): Request {
  const options = readOptions(args, WGET);
  const body = optionValue(options, "body-data", "post-data") ?? "";
  const method = optionValue(options, "method") ?? (body === "" ? "GET" : "POST");
  return { method: method.toUpperCase(), urls: options.operands, body };
}

function readHttpie(args: readonly string[]): Request {
  const { operands } = readOptions(args, HTTPIE);
  const at = operands.findIndex((operand) => METHOD.test(operand.toUpperCase()));
  const [url, ...fields] = operands.slice(at + 1);
  const method = operands[at] ?? (fields.length === 0 ? "GET" : "POST");
  return { method: method.toUpperCase(), urls: url === undefined ? [] : [url], body: fields.join(" ") };
}

const FORGES = /^(?:api\.)?(?:github|bitbucket)\.|^gitlab\.|^(?:gitea|codeberg|forgejo)\.|\.ghe\./;
const DELETING_PATH = /\/_?(?:delete|destroy|terminate|purge|wipe|flush|truncate|delete_by_query|prune)(?:[/?]|$)/i;

/** A mutation of GraphQL that deletes. */
const MUTATION = /\bmutation\b[\s\S]*?\b\w*(?:[dD]elete|[dD]estroy|[rR]emove|[tT]erminate|[pP]urge|[wW]ipe|[dD]rop)\w*\s*\(/;

/** What only a person decides about at a forge. */
const FORGE_CHANGE = /"(?:archived|force)"\s*:\s*true|"private"\s*:\s*false|\bdelete\w+\(|mergePullRequest/i;

function judgeRequest(method: string, url: string, body: string, guard: Inspector): void {
  const { host, path } = splitUrl(url);
  if (url.startsWith("-") || isOwnMachine(host)) return;
  const rule = ruleOfRequest(method, { host, path, body });
  if (rule !== undefined) guard.report(rule);
  const query = /[?&]query=([^&]*)/.exec(path)?.[1] ?? "";
  judgeSql(`${body};${query.replaceAll("+", " ").replaceAll("%20", " ")}`, guard);
}

function ruleOfRequest(
  method: string,
  { host, path, body }: { readonly host: string; readonly path: string; readonly body: string },
): RuleId | undefined {
  const isForge = FORGES.test(host);
  const rule = isForge ? "change-repository" : "cloud-delete";
  if (method === "DELETE") return rule;
  if (/^(?:GET|HEAD|OPTIONS)$/.test(method)) return undefined;
  if (DELETING_PATH.test(path) || MUTATION.test(body)) return rule;
  if (!isForge) return undefined;
  if (/\/merge(?:\?|$)/.test(path)) return "merge-pull-request";
  return FORGE_CHANGE.test(body) ? "change-repository" : undefined;
}

function splitUrl(url: string): { readonly host: string; readonly path: string } {
  const bare = url.replace(/^[a-z]+:\/\//i, "").replace(/^[^/@]*@/, "");
  const at = bare.search(/[/?]/);
  const host = (at === -1 ? bare : bare.slice(0, at)).toLowerCase();
  return { host, path: at === -1 ? "" : bare.slice(at) };
}

/** True for the loopback device, and for names that are kept for tests. A host that is not known is none of these. */
function isOwnMachine(host: string): boolean {
  if (unknownAt(host) === 0) return false;
  // The shell takes `[::1]` for a pattern.
  if (host.startsWith(MARK.any)) return true;
  const name = host.startsWith("[") ? host.replace(/\].*$/, "]") : host.replace(/:.*$/, "");
  return (
    name === "" ||
    /^(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1\]|host\.docker\.internal)$/.test(name) ||
    /\.(?:localhost|test|local)$/.test(name)
  );
}

const REQUEST_DELETES =
  /\b(?:requests|httpx|axios|session|client|got|ky|superagent|HTTParty|Faraday|RestClient)\.(?:delete|del)\s*\(|Net::HTTP::Delete/;
const METHOD_DELETES = /method["']?\s*(?:[:=]|=>)\s*["']DELETE["']|\.request\(\s*["']DELETE["']/i;
const CLOUD_DELETES = /\.(?:delete|terminate|purge|destroy|deregister)\w*\s*\(|\b(?:Delete|Terminate|Purge)\w+Command\s*\(/;
const CLOUD_CLIENT = /\b(?:boto3|botocore|google\.cloud|googleapiclient|azure|aws-sdk|kubernetes)\b|@aws-sdk/;
/** Mappers of objects to a database that delete all rows, or change them without their hooks. */
const MAPPER_DELETES =
  /\.(?:delete_all|destroy_all|truncate_all)\b|\.objects(?:\.all\(\))?\.delete\(|\.query\([\w., ]*\)\.delete\(|::(?:truncate|query\(\)->delete|whereNotNull\([^)]*\)->delete|all\(\)->each->delete)\b|\.(?:destroy|deleteMany)\(\s*(?:\{\s*(?:where\s*:\s*\{\s*\}|truncate\s*:\s*true)?[^}]*\}?\s*\})?\s*\)/;
const STORE_DELETES =
  /\.(?:flushall|flushdb|drop_database|dropDatabase|drop_collection|FlushAll)\s*\(|\.delete_?[mM]any\s*\(\s*(?:\{\s*\})?\s*\)/;

/** Judges calls of libraries in code that delete something on a server. `bare` is the code without its strings. */
export function judgeDeletingCode(code: string, bare: string, texts: readonly string[], guard: Inspector): void {
  if (REQUEST_DELETES.test(bare) || METHOD_DELETES.test(code))
    for (const text of texts) if (/^https?:\/\//.test(text)) judgeRequest("DELETE", text, "", guard);
  if (CLOUD_CLIENT.test(code) && CLOUD_DELETES.test(bare)) guard.report("cloud-delete");
  if (MAPPER_DELETES.test(bare)) guard.report("sql-delete");
  if (STORE_DELETES.test(bare)) guard.report("document-delete");
}
