import { spawn } from "node:child_process";
import type { IncomingMessage, ServerResponse } from "node:http";
import { CLEAN_ENV } from "./git.ts";

/** What one request of a git client may take. */
const TIMEOUT_MS = 120_000;
const MOST_BODY = 256_000_000;
/** Answers that are kept whole until what they tell of has taken effect. */
const MOST_KEPT = 4_000_000;

/** A request of a git client's smart HTTP protocol (gitprotocol-http(5)). */
export interface GitRequest {
  /** `owner/name`. */
  readonly fullName: string;
  readonly path: "info/refs" | "git-upload-pack" | "git-receive-pack";
  readonly query: string;
  readonly isPush: boolean;
}

/** An answer of git http-backend. */
export interface GitAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** What a git client asks for; undefined if the request is none of git's. */
export function gitRequestOf(url: URL): GitRequest | undefined {
  const [, fullName, path] =
    /^\/([\w.-]+\/[\w.-]+?)(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/.exec(url.pathname) ?? [];
  if (fullName === undefined) return undefined;
  const isPush = path === "git-receive-pack" || url.searchParams.get("service") === "git-receive-pack";
  return { fullName, path: path as GitRequest["path"], query: url.search.slice(1), isPush };
}

/** The token of a request with Basic authorization; git sends it as the password. */
export function basicToken(header: string | undefined): string | undefined {
  const encoded = /^basic (.+)$/i.exec(header ?? "")?.[1];
  return encoded === undefined
    ? undefined
    : Buffer.from(encoded, "base64")
        .toString()
        .replace(/^[^:]*:/, "");
}

export interface BackendOptions {
  /** The folder that holds `owner/name.git`. */
  readonly root: string;
  readonly hooks: string;
  readonly login: string;
  /** Branches to which nobody may push, or prefixes of them that end before a slash. */
  readonly closedBranches: readonly string[];
  /** Gets the answer as it comes, if it is not to be kept whole. */
  readonly response?: ServerResponse;
}

/** Runs git http-backend for a request. Gives its answer, which has no body if it was streamed. */
export function runBackend(
  request: IncomingMessage,
  { fullName, path, query }: GitRequest,
  { root, hooks, login, closedBranches, response }: BackendOptions,
): Promise<GitAnswer> {
  const { headers, method } = request;
  const variables: Readonly<Record<string, string | string[] | undefined>> = {
    ...CLEAN_ENV,
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: "1",
    PATH_INFO: `/${fullName}.git/${path}`,
    QUERY_STRING: query,
    REQUEST_METHOD: method,
    CONTENT_TYPE: headers["content-type"],
    CONTENT_LENGTH: headers["content-length"],
    HTTP_CONTENT_ENCODING: headers["content-encoding"],
    GIT_PROTOCOL: headers["git-protocol"],
    REMOTE_USER: login,
    REMOTE_ADDR: "127.0.0.1",
    ...gitConfig([
      ["core.hooksPath", hooks],
      ["receive.hideRefs", "refs/pull"],
      ["gc.auto", "0"],
      ...closedBranches.map((branch) => ["receive.procReceiveRefs", `refs/heads/${branch}`] as const),
    ]),
  };
  const env = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined)) as NodeJS.ProcessEnv;
  return new Promise((resolve, reject) => {
    const child = spawn("git", ["http-backend"], { env, stdio: ["pipe", "pipe", "ignore"], timeout: TIMEOUT_MS });
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      if ((size += chunk.length) > MOST_BODY) child.kill("SIGKILL");
    });
    // git may answer before it has read all, and a client may leave.
    child.stdin.on("error", () => request.resume());
    request.on("close", () => child.stdin.end());
    request.pipe(child.stdin);
    child.on("error", reject);
    const answer = new CgiAnswer(response);
    child.stdout.on("data", (chunk: Buffer) => {
      if (!answer.take(chunk)) child.kill("SIGKILL");
      if (response?.writableNeedDrain) {
        child.stdout.pause();
        response.once("drain", () => child.stdout.resume());
      }
    });
    response?.on("close", () => child.kill("SIGKILL"));
    child.on("close", () => resolve(answer.end()));
  });
}

function gitConfig(entries: readonly (readonly [string, string])[]): Readonly<Record<string, string>> {
  const pairs = entries.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(entries.length), ...Object.fromEntries(pairs) };
}

/** Reads the output of a CGI program (RFC 3875): headers, an empty line, a body. */
class CgiAnswer {
  readonly #response: ServerResponse | undefined;
  #kept = Buffer.alloc(0);
  #status = 0;
  #headers: Readonly<Record<string, string>> = {};

  constructor(response: ServerResponse | undefined) {
    this.#response = response;
  }

  /** False if there is more than may be kept. */
  take(chunk: Buffer): boolean {
    if (this.#status !== 0 && this.#response !== undefined) {
      this.#response.write(chunk);
      return true;
    }
    this.#kept = Buffer.concat([this.#kept, chunk]);
    if (this.#status === 0) this.#readHead();
    return this.#kept.length <= MOST_KEPT;
  }

  end(): GitAnswer {
    if (this.#status === 0) return { status: 500, headers: {}, body: Buffer.from("git http-backend gave no answer") };
    this.#response?.end();
    return { status: this.#status, headers: this.#headers, body: this.#kept };
  }

  #readHead(): void {
    const end = this.#kept.indexOf("\r\n\r\n");
    if (end < 0) return;
    const lines = this.#kept.subarray(0, end).toString("latin1").split("\r\n");
    const all = lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]);
    const { status = "200", ...headers } = Object.fromEntries(all) as Record<string, string>;
    this.#status = Number.parseInt(status, 10);
    this.#headers = headers;
    this.#kept = this.#kept.subarray(end + 4);
    if (this.#response === undefined) return;
    this.#response.writeHead(this.#status, headers);
    if (this.#kept.length > 0) this.#response.write(this.#kept);
  }
}
