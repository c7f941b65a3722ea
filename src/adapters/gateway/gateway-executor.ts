import { appendFile } from "node:fs/promises";
import type { Gateway, GatewayCredentials, GatewayTotals, HostSpec, Masker } from "@loopdash/model-gateway";
import { type BlockedConnection, describeBlocked } from "@loopdash/model-gateway";
import { isRefusedSecret } from "@loopdash/model-gateway/server";
import type { Confinement, ExecRequest, ExecResult, Executor } from "../../ports/executor.ts";
import { openGateway } from "./open-gateway.ts";

/** The number of reasons that are printed at the end of a program's output. */
const MOST_TOLD = 5;

/** Joins a gateway to a sandbox. */
export interface GatewayExecutorOptions {
  /** Folder in which sockets are made; see OpenGatewayOptions. */
  readonly folder: string;
  readonly relay: {
    /** The command that starts the relay; the socket and the program follow (`__relay`, see relay.ts). */
    readonly argv: readonly string[];
    /** Folders and files that the relay needs to see. */
    readonly read: readonly string[];
  };
  /** Certificates that programs with open hosts trust: a file outside, its path inside, and the variables that name it. */
  readonly certificates?: {
    readonly file: string;
    readonly at: string;
    readonly env: Readonly<Record<string, string>>;
  };
  /** The variables that name this machine's proxy; see GatewayOptions.proxyEnv. */
  readonly proxyEnv?: Readonly<Record<string, string | undefined>>;
  /** Adds headers with secrets to requests to hosts that have them; absent if the batch has no secrets. */
  readonly credentials?: GatewayCredentials;
  /** False if no relay can listen in this sandbox: then a program whose confinement names an empty list gets no gateway. */
  readonly canListen?: boolean;
}

/**
 * An executor that opens a gateway while a program runs, if its request names a model or its confinement names hosts, even none:
 * then every connection is refused and told. It passes the gateway's socket in and starts the program behind the relay. Other
 * requests pass unchanged. Blocked connections are told at once, and again at the end of the tail and of the log, so that a
 * program's failure explains itself. An unconfined program gets its model in the same way, and keeps its usual network. Throws a
 * UserError: exit 2 if a host is invalid, exit 4 if no socket can be made.
 */
export function gatewayExecutor(executor: Executor, options: GatewayExecutorOptions): Executor {
  return {
    run: (request) => {
      const { model, confinement } = request;
      const isGated = options.canListen === false ? (confinement?.hosts ?? []).length > 0 : confinement?.hosts !== undefined;
      return model === undefined && !isGated ? executor.run(request) : runGated(executor, options, request);
    },
    killStrays: (strays) => executor.killStrays(strays),
  };
}

async function runGated(executor: Executor, options: GatewayExecutorOptions, request: ExecRequest): Promise<ExecResult> {
  const { folder, relay } = options;
  const { model, confinement } = request;
  const hosts = confinement?.hosts ?? [];
  const watch = new BlockedTimer();
  const gateway = await openGateway({
    folder,
    hosts,
    credentials: options.credentials,
    onBlocked: (blocked) => {
      request.onBlocked?.(blocked);
      watch.blocked(blocked);
    },
    proxyEnv: options.proxyEnv,
    hostsFor: confinement?.hostsFor,
    model: model?.upstream,
  });
  try {
    const baseUrls = (model?.baseUrls ?? []).flatMap(({ name, path }) => ["--base-url", path === "" ? name : `${name}=${path}`]);
    const shown = confinement === undefined || hosts.length === 0 ? undefined : options.certificates;
    const result = await executor.run({
      ...request,
      ...(shown === undefined ? {} : { env: { ...shown.env, ...request.env } }),
      ...(request.endIfBlocked === true ? { signal: watch.arm(gateway, request.signal) } : {}),
      argv: [
        ...relay.argv,
        gateway.socketPath,
        ...baseUrls,
        ...forwardArguments(hosts),
        ...guardArguments(request),
        "--",
        ...request.argv,
      ],
      ...(confinement === undefined
        ? {}
        : { confinement: joined(confinement, { read: relay.read, socket: gateway.socketPath, shown }) }),
    });
    return await told(watch.ended(result), gateway, { ...request, masker: options.credentials?.masker });
  } finally {
    watch.stop();
    await gateway.close();
  }
}

/** The result with the gateway's part in it. A program may have asked for a host whose name is a secret. */
async function told(
  result: ExecResult,
  gateway: Gateway,
  { logFile, model, masker }: ExecRequest & { readonly masker: Masker | undefined },
): Promise<ExecResult> {
  const totals = gateway.totals();
  const cut = gateway.cutReason();
  const spend = { usd: totals.spentUsd + totals.reservedUsd, requests: totals.requests, cut };
  const refusedSecrets = [...totals.refusals.keys()].filter((why) => isRefusedSecret(why, totals.acceptedSecrets));
  const lines = refusalLines(totals).map((line) => masker?.text(line) ?? line);
  // A program that did not start has no log.
  if (lines.length > 0 && result.ending !== "failed-to-start") await appendFile(logFile, `${lines.join("\n")}\n`);
  return {
    ...result,
    tail: [result.tail, ...lines].join("\n"),
    ...(totals.blocked.length === 0 ? {} : { blocked: totals.blocked }),
    ...(refusedSecrets.length === 0 ? {} : { refusedSecrets }),
    ...(model === undefined ? {} : { model: spend }),
  };
}

function guardArguments({ guardSocket }: ExecRequest): readonly string[] {
  return guardSocket === undefined ? [] : ["--guard-socket", guardSocket];
}

/**
 * Opened servers on the loopback of this machine. In the sandbox loopback is another one, and programs ask for it without a proxy.
 */
function forwardArguments(hosts: readonly HostSpec[]): readonly string[] {
  const opened = hosts.flatMap((spec) => {
    const { host, port } = typeof spec === "string" ? splitPort(spec) : spec;
    return (host === "localhost" || host.startsWith("127.")) && port !== undefined ? [`${host}:${port}`] : [];
  });
  return [...new Set(opened)].flatMap((to) => ["--forward", to]);
}

function splitPort(text: string): { readonly host: string; readonly port: string | undefined } {
  const [host = "", port] = text.split(":");
  return { host, port };
}

function joined(
  confinement: Confinement,
  {
    read,
    socket,
    shown,
  }: { readonly read: readonly string[]; readonly socket: string; readonly shown: GatewayExecutorOptions["certificates"] },
): Confinement {
  const mounts = shown === undefined ? [] : [{ from: shown.file, at: shown.at, write: false }];
  return {
    ...confinement,
    read: [...confinement.read, ...read],
    sockets: [...confinement.sockets, socket],
    mounts: [...confinement.mounts, ...mounts],
  };
}

function refusalLines({ refusals, blocked, blockedOthers }: GatewayTotals): readonly string[] {
  const reasons = [...refusals].map(([reason, times]) => `${reason}${times === 1 ? "" : ` (${times} times)`}`);
  const others = blockedOthers + Math.max(0, blocked.length - MOST_TOLD) + Math.max(0, reasons.length - MOST_TOLD);
  return [
    ...blocked.slice(0, MOST_TOLD).map(describeBlocked),
    ...reasons.slice(0, MOST_TOLD),
    ...(others > 0 ? [`${others} other refusals`] : []),
  ].map((line) => `[loopdash: ${line}]`);
}

/** The time that a program gets after its first blocked connection: to fail by itself, or to reach another host. Milliseconds. */
const GRACE_MS = 5_000;

/**
 * Ends a program that cannot succeed: its connections were blocked, and none was let through. Programs repeat a refused
 * connection for minutes, some without a word.
 */
class BlockedTimer {
  readonly #end = new AbortController();
  #gateway: Gateway | undefined;
  #first: BlockedConnection | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** The signal that ends the program: the given one, or this timer's own. */
  arm(gateway: Gateway, signal: AbortSignal): AbortSignal {
    this.#gateway = gateway;
    return AbortSignal.any([signal, this.#end.signal]);
  }

  blocked(blocked: BlockedConnection): void {
    this.#first ??= blocked;
    if (this.#gateway !== undefined) this.#timer ??= this.#wait(this.#gateway);
  }

  /** The program's end; `blocked` if this timer ended it. */
  ended(result: ExecResult): ExecResult {
    const isOwn = result.ending === "aborted" && this.#end.signal.aborted;
    if (!isOwn || this.#first === undefined) return result;
    const { host, port, reason } = this.#first;
    const message = `the sandbox blocked every connection, first ${host}:${port} (${reason})`;
    return { ...result, ending: "blocked", message };
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #wait(gateway: Gateway): NodeJS.Timeout {
    return setTimeout(() => {
      const { tunnels, open } = gateway.totals();
      if (tunnels > 0) return;
      // A host is still being dialled.
      if (open > 0) this.#timer = this.#wait(gateway);
      else this.#end.abort();
    }, GRACE_MS);
  }
}
