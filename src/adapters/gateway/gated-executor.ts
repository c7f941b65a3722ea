import type { ExecRequest, ExecResult, Executor } from "../../ports/executor.ts";
import type { GatewayTotals } from "../../ports/gateway.ts";
import type { Confinement } from "../../ports/sandbox.ts";
import { openGateway } from "./open-gateway.ts";

/** The number of reasons that are printed at the end of a program's output. */
const MOST_TOLD = 5;

/** Joins a gateway to a sandbox. */
export interface GateOptions {
  /** Folder in which sockets are made; see GatewayOptions.folder. */
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
}

/**
 * An executor that opens a gateway while a program runs, if its request names a model or its confinement names hosts. It passes
 * the gateway's socket in and starts the program behind the relay. Other requests pass unchanged. Refused connections are listed
 * at the end of the tail, so that a program's failure explains itself. An unconfined program gets its model in the same way, and
 * keeps its usual network. Throws a UserError: exit 2 if a host is invalid, exit 4 if no socket can be made.
 */
export function gatedExecutor(executor: Executor, options: GateOptions): Executor {
  return {
    run: (request) => {
      const hosts = request.confinement?.hosts ?? [];
      return request.model === undefined && hosts.length === 0
        ? executor.run(request)
        : runGated(executor, options, request, hosts);
    },
    killStrays: (strays) => executor.killStrays(strays),
  };
}

async function runGated(
  executor: Executor,
  { folder, relay, certificates }: GateOptions,
  request: ExecRequest,
  hosts: readonly string[],
): Promise<ExecResult> {
  const { model, confinement } = request;
  const gateway = await openGateway({ folder, hosts, ...(model === undefined ? {} : { model: model.upstream }) });
  try {
    const baseUrls = (model?.baseUrls ?? []).flatMap(({ name, path }) => ["--base-url", path === "" ? name : `${name}=${path}`]);
    const shown = confinement === undefined || hosts.length === 0 ? undefined : certificates;
    const result = await executor.run({
      ...request,
      ...(shown === undefined ? {} : { env: { ...shown.env, ...request.env } }),
      argv: [...relay.argv, gateway.socketPath, ...baseUrls, "--", ...request.argv],
      ...(confinement === undefined
        ? {}
        : { confinement: joined(confinement, { read: relay.read, socket: gateway.socketPath, shown }) }),
    });
    const totals = gateway.totals();
    const cut = gateway.cutReason();
    const spend = { usd: totals.spentUsd + totals.reservedUsd, requests: totals.requests, ...(cut === undefined ? {} : { cut }) };
    return { ...result, tail: result.tail + refusalsOf(totals), ...(model === undefined ? {} : { model: spend }) };
  } finally {
    await gateway.close();
  }
}

function joined(
  confinement: Confinement,
  {
    read,
    socket,
    shown,
  }: { readonly read: readonly string[]; readonly socket: string; readonly shown: GateOptions["certificates"] },
): Confinement {
  const mounts = shown === undefined ? [] : [{ from: shown.file, at: shown.at, write: false }];
  return {
    ...confinement,
    read: [...confinement.read, ...read],
    sockets: [...confinement.sockets, socket],
    mounts: [...confinement.mounts, ...mounts],
  };
}

function refusalsOf({ refusals }: GatewayTotals): string {
  const all = [...refusals];
  const told = all
    .slice(0, MOST_TOLD)
    .map(([reason, times]) => `\n[loopdash: ${reason}${times === 1 ? "" : ` (${times} times)`}]`);
  return told.join("") + (all.length > MOST_TOLD ? `\n[loopdash: ${all.length - MOST_TOLD} other refusals]` : "");
}
