import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { connectTo, tunnelThrough, UpstreamProxy } from "@loopdash/model-gateway/server";
import { loadProgram } from "../../adapters/agent/registry.ts";
import {
  allAccounts,
  listPrograms,
  PARTY_NAMES,
  type Party,
  type PartyProgram,
  type VendorSpec,
} from "../../domain/batch/party.ts";
import { errorMessage } from "../../domain/values/text.ts";
import { apiUrlOf } from "../engine/agent-of.ts";
import type { LoadedBatch } from "../engine/load-batch.ts";
import { trustedAuthorities } from "../engine/trusted-authorities.ts";
import { bad, type CheckResult, ok } from "./check-result.ts";

/** Time limit for one connection. Milliseconds. */
const CONNECT_MS = 20_000;
const REMEDY =
  "See that baseUrl is right and the host is up; set HTTPS_PROXY if this machine needs a proxy, and name its certificate authority in SSL_CERT_FILE or NODE_EXTRA_CA_CERTS.";

/**
 * Tries the API of each account of the agent and the reviewers, each host and port once, as a run's gateway reaches it: a
 * connection through the machine's proxy, and TLS for https. No request and no key is sent. Empty for commands.
 */
export async function checkModelApis({ batch }: LoadedBatch, env: NodeJS.ProcessEnv): Promise<readonly CheckResult[]> {
  const apis = (await Promise.all(listPrograms(batch).map(apisOf))).flat();
  const byOrigin = Map.groupBy(apis, ({ url }) => url.origin);
  return Promise.all(
    [...byOrigin].map(([origin, group]) => {
      const users = [...new Set(group.map(({ who }) => PARTY_NAMES[who]))].join(" and ");
      return tryApi(new URL(origin), { users, env });
    }),
  );
}

interface Api {
  readonly who: Party;
  readonly url: URL;
}

async function apisOf({ party: who, spec }: PartyProgram): Promise<readonly Api[]> {
  if (spec.kind === "command") return [];
  const kind = await loadProgram(spec.kind);
  return allAccounts<VendorSpec>(spec).map((account) => ({ who, url: new URL(apiUrlOf(account, kind)) }));
}

async function tryApi(
  url: URL,
  { users, env }: { readonly users: string; readonly env: NodeJS.ProcessEnv },
): Promise<CheckResult> {
  const isTls = url.protocol === "https:";
  const to = { host: url.hostname.replace(/^\[|\]$/g, ""), port: url.port === "" ? (isTls ? 443 : 80) : Number(url.port) };
  const proxy = new UpstreamProxy(env).for(to, isTls ? "https" : "http");
  const name = `${users}: ${url.hostname}:${to.port}`;
  let socket: Socket | undefined;
  try {
    if (proxy === undefined) socket = await whenReady(connect(to), "connect");
    else socket = await (isTls ? tunnelThrough(proxy, to, CONNECT_MS) : connectTo(proxy, CONNECT_MS));
    const how = isTls
      ? await handshake(socket, to.host, trustedAuthorities(env))
      : proxy === undefined
        ? "connected"
        : "the machine's proxy answers for it";
    return ok("model-api", `${name} answers (${how}); no request was sent, so whether the key is accepted shows only in a run`);
  } catch (error) {
    return bad("model-api", `${name} cannot be reached: ${errorMessage(error)}`, REMEDY);
  } finally {
    socket?.destroy();
  }
}

/** Makes a TLS connection and gives its version. Rejects if the certificate is not trusted. */
async function handshake(socket: Socket, host: string, ca: string): Promise<string> {
  const secure = await whenReady(
    connectTls({ socket, ca, ...(isIP(host) === 0 ? { servername: host } : { host }) }),
    "secureConnect",
  );
  return secure.getProtocol() ?? "TLS";
}

function whenReady<S extends Socket>(socket: S, event: "connect" | "secureConnect"): Promise<S> {
  return new Promise((settle, reject) => {
    const timer = setTimeout(() => socket.destroy(new Error(`no answer within ${CONNECT_MS / 1000} s`)), CONNECT_MS);
    // The listener stays: a socket that is being closed may still fail, and Node throws an error that nobody listens to.
    socket.on("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    socket.once(event, () => {
      clearTimeout(timer);
      settle(socket);
    });
  });
}
