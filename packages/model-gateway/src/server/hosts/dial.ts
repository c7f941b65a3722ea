import { lookup } from "node:dns";
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { Refusal } from "../refusals.ts";
import type { Authority } from "./authority.ts";
import { Blocked } from "./blocked.ts";
import type { HostRules } from "./host-rules.ts";
import { connectTo, type ProxyServer, tunnelThrough, type UpstreamProxy } from "./upstream-proxy.ts";

/**
 * Concurrent look-ups over all gateways of this process. Each takes one of the four threads that Node also uses for files, and a
 * confined program may ask for names whose servers never answer.
 */
const MOST_LOOKUPS = 2;

export type Resolve = (name: string) => Promise<readonly string[]>;

/** Makes connections to the outside: only to allowed hosts, and only to checked addresses. */
export interface Dialler {
  readonly rules: HostRules;
  readonly resolve?: Resolve | undefined;
  /** The way out of this machine, if it has no direct one. */
  readonly proxy?: UpstreamProxy | undefined;
  readonly connectMs: number;
}

/** A connection for requests in plain HTTP: to the host itself, or to the machine's proxy. */
export interface PlainConnection {
  readonly socket: Socket;
  /** The proxy on the other end, which is asked for the whole URL. */
  readonly proxy?: ProxyServer;
}

/** Throws a Refusal (403) if the host is not allowed. */
function assertOpen(rules: HostRules, { host, port }: Authority): void {
  if (!rules.allows({ host, port })) throw new Blocked({ host, port });
}

/**
 * Connects to an allowed host. The name is looked up once, its addresses are checked, and exactly those addresses are connected
 * to. Rejects with a Refusal: 403 if the host or all its addresses are not allowed, 502 if it cannot be reached, 504 if that
 * takes too long. If the machine has a proxy for it, the proxy looks the name up and connects; then the name's addresses as this
 * machine knows them are checked before, if it knows any.
 */
export async function dial(to: Authority, dialler: Dialler): Promise<Socket> {
  assertOpen(dialler.rules, to);
  const proxy = dialler.proxy?.for(to, "https");
  if (proxy === undefined) return await dialDirectly(to, dialler);
  await assertLeadsOut(to, dialler);
  return await tunnelThrough(proxy, to, dialler.connectMs);
}

/** Connects to an allowed host for plain HTTP, or to the proxy that this machine has for it. Rejects as `dial` does. */
export async function dialPlain(to: Authority, dialler: Dialler): Promise<PlainConnection> {
  assertOpen(dialler.rules, to);
  const proxy = dialler.proxy?.for(to, "http");
  if (proxy === undefined) return { socket: await dialDirectly(to, dialler) };
  await assertLeadsOut(to, dialler);
  // A proxy that speaks TLS is asked for a tunnel: one way to it is enough.
  if (proxy.url.protocol === "https:") return { socket: await tunnelThrough(proxy, to, dialler.connectMs) };
  return { socket: await connectTo(proxy, dialler.connectMs), proxy };
}

/** The time for a look-up before a proxy is asked: a machine behind a proxy may have no resolver that knows outside names. */
const LOOKUP_MS = 2_000;

/** Refuses a host that leads somewhere closed as far as this machine knows. */
async function assertLeadsOut(to: Authority, { rules, resolve = systemResolve }: Dialler): Promise<void> {
  const known = isIP(to.host) === 0 ? await within(resolve(to.host), LOOKUP_MS) : [to.host];
  const bad = known.find((address) => !rules.allowsAddress(to, address));
  if (bad !== undefined) throw closed(to, bad, rules);
}

async function within(addresses: Promise<readonly string[]>, ms: number): Promise<readonly string[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly string[]>((settle) => {
    timer = setTimeout(() => settle([]), ms);
  });
  // A name that this machine does not know may be known to the proxy.
  return await Promise.race([addresses.catch(() => []), late]).finally(() => clearTimeout(timer));
}

async function dialDirectly(to: Authority, { rules, resolve, connectMs }: Dialler): Promise<Socket> {
  if (isIP(to.host) !== 0 && !rules.allowsAddress(to, to.host)) throw closed(to, to.host, rules);
  const socket = connect({
    host: to.host,
    port: to.port,
    lookup: checkedLookup(to, rules, resolve ?? systemResolve),
    autoSelectFamily: true,
    allowHalfOpen: true,
    noDelay: true,
  });
  return await new Promise((settle, reject) => {
    const timer = setTimeout(() => socket.destroy(new Refusal(504, `${to.host} did not answer in time`)), connectMs);
    const done = (): void => {
      clearTimeout(timer);
      socket.off("error", failed);
    };
    const failed = (error: Error): void => {
      done();
      // Ignores late errors of a socket that nobody uses any more.
      socket.on("error", () => undefined);
      reject(error instanceof Refusal ? error : new Refusal(502, `${to.host} cannot be reached`));
    };
    socket.once("error", failed);
    socket.once("connect", () => {
      done();
      settle(socket);
    });
  });
}

function closed(to: Authority, address: string, rules: HostRules): Blocked {
  return new Blocked(to, { address, isOutside: rules.givesAddresses(to) });
}

/** Replaces Node's look-up: returns only the addresses that may be connected to. */
function checkedLookup(to: Authority, rules: HostRules, resolve: Resolve): LookupFunction {
  return (name, options, callback) => {
    const answer = (error: Error | null, addresses: readonly string[]): void => {
      const found = addresses.map((address) => ({ address, family: isIP(address) }));
      if (options.all === true) return callback(error, found);
      callback(error, found[0]?.address ?? "", found[0]?.family ?? 0);
    };
    resolve(name).then(
      (addresses) => {
        const open = addresses.filter((address) => rules.allowsAddress(to, address));
        if (open.length > 0) return answer(null, open);
        const [first] = addresses;
        answer(first !== undefined ? closed(to, first, rules) : new Refusal(502, `${to.host} has no address`), []);
      },
      () => answer(new Refusal(502, `${to.host} has no address`), []),
    );
  };
}

let underWay = 0;
const waiting: (() => void)[] = [];

async function systemResolve(name: string): Promise<readonly string[]> {
  if (underWay >= MOST_LOOKUPS) await new Promise<void>((settle) => waiting.push(settle));
  else underWay += 1;
  try {
    return await new Promise((settle, reject) => {
      lookup(name, { all: true, verbatim: true }, (error, found) => {
        if (error === null) settle(found.map(({ address }) => address));
        else reject(error);
      });
    });
  } finally {
    const next = waiting.shift();
    // Passes its place on to the request that has waited longest.
    if (next === undefined) underWay -= 1;
    else next();
  }
}
