import { mkdirSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { blockedRemedy, type HostSpec, isHeaderHost } from "@loopdash/model-gateway";
import { UpstreamProxy } from "@loopdash/model-gateway/server";
import { allowedEnvironment } from "../../adapters/executor/environment.ts";
import { createExecutor } from "../../adapters/executor/process-executor.ts";
import { trustedCertificates } from "../../adapters/sandbox/certificates.ts";
import { findSandbox } from "../../adapters/sandbox/find-sandbox.ts";
import type { Executor } from "../../ports/executor.ts";
import type { LoadedBatch } from "../engine/load-batch.ts";
import { confined } from "../engine/loop-context.ts";
import { bad, type CheckResult, ok, warn } from "./check-result.ts";
import { withProbeFolder } from "./probe-folder.ts";

/** Time limit for all hosts of one step. Milliseconds. */
const DEADLINE_MS = 30_000;

/**
 * Runs in the sandbox: asks its proxy for a tunnel to each target, shakes hands at port 443, and prints a line of JSON each. The
 * time limit is below that of the whole.
 */
const PROBE = `
const { request } = require("node:http"), { connect } = require("node:tls"), { isIP } = require("node:net");
const proxy = new URL(process.env.HTTP_PROXY);
let open = process.argv.length - 1;
for (const target of process.argv.slice(1)) {
  const [host, port] = target.split(":");
  const timer = setTimeout(() => end({ problem: "no answer within 20 s" }), 20000);
  const out = request({ host: proxy.hostname, port: proxy.port, method: "CONNECT", path: target, headers: { host: target } });
  let over = false;
  const end = (told) => {
    if (over) return;
    over = true;
    clearTimeout(timer);
    process.stdout.write(JSON.stringify({ target, ...told }) + "\\n", () => (open -= 1) === 0 && process.exit(0));
  };
  out.on("error", (error) => end({ problem: error.message }));
  out.on("connect", (answer, socket, head) => {
    let text = head.toString();
    if (answer.statusCode !== 200) return socket.on("data", (data) => (text += data)).on("close", () => end({ problem: text.trim() }));
    if (port !== "443") return end({ how: "connected" });
    const secure = connect({ socket, ...(isIP(host) ? {} : { servername: host }) }, () => end({ how: secure.getProtocol() }));
    secure.on("error", (error) => end({ tls: true, problem: "TLS: " + error.message }));
  });
  out.end();
}`;

/**
 * Tries each host that the batch opens, from inside the sandbox and through the gateway. A host that cannot be reached is bad;
 * nothing is sent to it but the beginning of TLS. Empty if the batch opens none, or there is no sandbox.
 */
export async function checkOpenHosts(
  { batch }: LoadedBatch,
  { env, state }: { readonly env: NodeJS.ProcessEnv; readonly state: string },
): Promise<readonly CheckResult[]> {
  const opened = Object.entries(batch.sandboxPolicy?.hosts ?? {}).filter(([, hosts]) => hosts.length > 0);
  if (opened.length === 0 || batch.sandbox === "off") return [];
  const home = env["HOME"];
  const found = await findSandbox({ path: env["PATH"] ?? "", state, ...(home === undefined ? {} : { home }) });
  if (!found.ok) return [];
  const tried = await withProbeFolder(realpathSync(tmpdir()), async (folder) => {
    const executor = await confined(createExecutor(), found.sandbox, { folder, secrets: undefined });
    return await Promise.all(
      opened.map(([who, hosts], n) => tryHosts(executor, { who, hosts, env, folder: join(folder, String(n)) })),
    );
  });
  return [...tried.flat(), ...surroundings(env)];
}

/** The machine's own settings that connections depend on, if they cannot be used. */
function surroundings(env: NodeJS.ProcessEnv): readonly CheckResult[] {
  const certificates = trustedCertificates({ env }).problems.map((problem) =>
    warn("certificates", problem, "Name a file of certificates in PEM, or take the variable out."),
  );
  const proxies = new UpstreamProxy(env).problems.map((problem) =>
    warn("proxy", problem, "Write it like http://user:password@proxy.example:3128, or take the variable out."),
  );
  return [...certificates, ...proxies];
}

interface Tried {
  readonly who: string;
  readonly hosts: readonly HostSpec[];
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
}

async function tryHosts(executor: Executor, { who, hosts, env, folder }: Tried): Promise<readonly CheckResult[]> {
  const all = hosts.map(targetOf);
  const targets = [...new Set(all.filter((target) => !target.startsWith("*.")))];
  const wild = all
    .filter((target) => target.startsWith("*."))
    .map((target) => ok("host", `${who}: ${target} is not tried: it stands for every name below it`));
  if (targets.length === 0) return wild;
  const withHeaders = new Set(hosts.filter(isHeaderHost).map(targetOf));
  const answers = new Map<string, Answer>();
  mkdirSync(folder);
  const { blocked = [], tail } = await executor.run({
    argv: [process.execPath, "-e", PROBE, ...targets],
    cwd: folder,
    env: allowedEnvironment(env, {}),
    logFile: join(folder, "log"),
    timeoutMs: DEADLINE_MS,
    signal: new AbortController().signal,
    marker: `doctor-${folder}`,
    confinement: { write: [folder], read: [], mounts: [], sockets: [], hosts: hosts.map(withoutHeaders), hostsFor: who },
    onLine: (line, stream) => {
      if (stream === "stdout" && line.startsWith("{")) noteAnswer(answers, line);
    },
  });
  const results = targets.map((target): CheckResult => {
    const refused = blocked.find(({ host, port }) => `${host}:${port}` === target);
    if (refused !== undefined) return bad("host", `${who}: ${target} is blocked: ${refused.reason}`, blockedRemedy(refused));
    const { how, problem, tls } =
      answers.get(target) ?? ({ problem: `it could not be tried: ${tail.trim().slice(-300)}` } as Partial<Answer>);
    const note = withHeaders.has(target) ? HEADERS_NOT_SENT : "";
    if (how !== undefined) return ok("host", `${who}: ${target} answers (${how})${note}`);
    return bad("host", `${who}: ${target}: ${problem ?? "no reason given"}`, tls === true ? TRUST : LOOK);
  });
  return [...results, ...wild];
}

/** A line of the probe. */
interface Answer {
  readonly target: string;
  readonly how?: string;
  readonly problem?: string;
  readonly tls?: true;
}

function noteAnswer(answers: Map<string, Answer>, line: string): void {
  const answer = JSON.parse(line) as Answer;
  answers.set(answer.target, answer);
}

/** A request with a credential may have an effect, so none is sent. */
const HEADERS_NOT_SENT =
  "; its headers were not sent, so a refused credential shows only when the step runs (for prepare: with --prepare)";
const TRUST = "If this is a proxy that inspects TLS, name the file of its certificate authority in NODE_EXTRA_CA_CERTS.";
const LOOK = "See that the name is right and the host is up; set HTTPS_PROXY if this machine needs a proxy.";

/** The entry without its headers: a trial needs no secret, and the gateway then passes TLS through. */
function withoutHeaders(spec: HostSpec): HostSpec {
  if (typeof spec === "string") return spec;
  const { headers: _, methods: __, ...plain } = spec;
  return plain.addresses === undefined ? targetOf(spec) : plain;
}

function targetOf(spec: HostSpec): string {
  if (typeof spec === "string") return spec.includes(":") ? spec : `${spec}:443`;
  return `${spec.host}:${spec.port ?? 443}`;
}
