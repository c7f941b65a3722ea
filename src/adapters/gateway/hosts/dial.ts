import { lookup } from "node:dns";
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { Refusal } from "../refusals.ts";
import type { Authority } from "./authority.ts";
import { Blocked } from "./blocked.ts";
import type { HostRules } from "./host-rules.ts";

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
  readonly connectMs: number;
}

/** Throws a Refusal (403) if the host is not allowed. */
function assertOpen(rules: HostRules, { host, port }: Authority): void {
  if (!rules.allows({ host, port })) throw new Blocked({ host, port });
}

/**
 * Connects to an allowed host. The name is looked up once, its addresses are checked, and exactly those addresses are connected
 * to. Rejects with a Refusal: 403 if the host or all its addresses are not allowed, 502 if it cannot be reached, 504 if that
 * takes too long.
 */
export async function dial(to: Authority, { rules, resolve, connectMs }: Dialler): Promise<Socket> {
  assertOpen(rules, to);
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
