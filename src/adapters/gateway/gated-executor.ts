import type { ExecRequest, ExecResult, Executor } from "../../ports/executor.ts";
import type { GatewayTotals } from "../../ports/gateway.ts";
import type { Confinement } from "../../ports/sandbox.ts";
import { openGateway } from "./open-gateway.ts";

/** Reasons that are told at the end of a program's output. */
const MOST_TOLD = 5;

/** How a gateway is joined to a sandbox. */
export interface GateOf {
  /** Folder in which sockets are made; see GatewayOf.folder. */
  readonly folder: string;
  readonly relay: {
    /** What starts the relay; the socket and the program follow (`__relay`, see relay.ts). */
    readonly argv: readonly string[];
    /** Folders and files that it needs to see. */
    readonly read: readonly string[];
  };
}

/**
 * An executor that opens the hosts which a request's confinement names: it opens a gateway to them for as long as the
 * program runs, lets its socket through, and starts the program behind the relay. Requests without hosts are handed on as
 * they are. What was refused is told at the end of the tail, so that a program's failure explains itself.
 * Throws a UserError (exit 2) where a host cannot be read, and (exit 4) where no socket can be made.
 */
export function gatedExecutor(executor: Executor, of: GateOf): Executor {
  return {
    run: (request) => {
      const { confinement } = request;
      const hosts = confinement?.hosts ?? [];
      return confinement === undefined || hosts.length === 0
        ? executor.run(request)
        : runGated(executor, of, request, confinement, hosts);
    },
    killStrays: (strays) => executor.killStrays(strays),
  };
}

async function runGated(
  executor: Executor,
  { folder, relay }: GateOf,
  request: ExecRequest,
  confinement: Confinement,
  hosts: readonly string[],
): Promise<ExecResult> {
  const gateway = await openGateway({ folder, hosts });
  try {
    const result = await executor.run({
      ...request,
      argv: [...relay.argv, gateway.socketPath, "--", ...request.argv],
      confinement: {
        ...confinement,
        read: [...confinement.read, ...relay.read],
        sockets: [...confinement.sockets, gateway.socketPath],
      },
    });
    return { ...result, tail: result.tail + refusalsOf(gateway.totals()) };
  } finally {
    await gateway.close();
  }
}

function refusalsOf({ refusals }: GatewayTotals): string {
  const all = [...refusals];
  const told = all
    .slice(0, MOST_TOLD)
    .map(([reason, times]) => `\n[loopdash: ${reason}${times === 1 ? "" : ` (${times} times)`}]`);
  return told.join("") + (all.length > MOST_TOLD ? `\n[loopdash: ${all.length - MOST_TOLD} other refusals]` : "");
}
