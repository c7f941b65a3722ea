import { isIP } from "node:net";
import { plainText } from "@loopdash/values";
import type { BlockedConnection } from "../../blocked-connection.ts";
import type { HostSpec } from "../../host-spec.ts";
import { isInRange, readAddress, readRange } from "../../ip-range.ts";
import { arePrivateRanges, hostText, isNear, PRIVATE_NETWORKS } from "../../open-hosts.ts";
import { Refusal } from "../refusals.ts";
import type { Authority } from "./authority.ts";
import { isPublicAddress } from "./public-address.ts";

const HTTPS = 443;
/** Hosts that one gateway tells of. A program can ask for any number of names. */
const MOST_TOLD = 20;

/**
 * The reason why a connection is not made: the host is not opened to the step, or none of its addresses is. The message is for
 * the inside, which is not told where a name leads.
 */
export class Blocked extends Refusal {
  readonly to: Authority;
  /** The address that the name leads to, if that is the reason. */
  readonly address: string | undefined;
  /** True if the batch names addresses for this host, and this is none of them. */
  readonly isOutside: boolean;

  constructor(to: Authority, { address, isOutside = false }: { readonly address?: string; readonly isOutside?: boolean } = {}) {
    const host = isIP(to.host) === 6 ? `[${to.host}]` : to.host;
    const closed = `${host} leads to an address that is not open to this step`;
    super(403, address === undefined ? `${host}:${to.port} is not open to this step` : closed);
    this.to = to;
    this.address = address;
    this.isOutside = isOutside;
  }
}

/** The blocked connections of one gateway, each host and port once. */
export class BlockedConnections {
  readonly #seen = new Map<string, BlockedConnection>();
  readonly #who: string | undefined;
  readonly #onBlocked: ((blocked: BlockedConnection) => void) | undefined;
  #others = 0;

  constructor(options: {
    readonly who?: string | undefined;
    readonly onBlocked?: ((blocked: BlockedConnection) => void) | undefined;
  }) {
    this.#who = options.who;
    this.#onBlocked = options.onBlocked;
  }

  get all(): readonly BlockedConnection[] {
    return [...this.#seen.values()];
  }

  /** The number of refusals of hosts beyond those that are told. */
  get others(): number {
    return this.#others;
  }

  add(blocked: Blocked): void {
    const key = `${blocked.to.host} ${blocked.to.port}`;
    if (this.#seen.has(key)) return;
    if (this.#seen.size >= MOST_TOLD) {
      this.#others += 1;
      return;
    }
    const told = describe(blocked, this.#who);
    this.#seen.set(key, told);
    this.#onBlocked?.(told);
  }
}

function describe(blocked: Blocked, who: string | undefined): BlockedConnection {
  const { to, address, isOutside } = blocked;
  const plain = address === undefined ? undefined : plainText(address, 60);
  const what = plain === undefined ? "the batch does not open it to this step" : `${plain} ${addressKind(plain)}`;
  const entry = entryFor(blocked);
  return {
    ...to,
    address: plain,
    reason: isOutside ? `${what}, which is not in the ranges that the batch gives for this host` : what,
    ...(entry && { allow: `"sandboxPolicy": {"hosts": {${JSON.stringify(who ?? "agent")}: [${hostText(entry)}]}}` }),
  };
}

function addressKind(text: string): string {
  const address = readAddress(text);
  if (address === undefined) return "is not an address";
  const range = { base: address, prefix: address.bits };
  const lies = (within: string): boolean => {
    const near = readRange(within);
    return near !== undefined && isInRange(near, address);
  };
  if (lies("127.0.0.0/8") || lies("0.0.0.0/8") || text === "::1" || text === "::") return "is an address of this machine";
  if (lies("169.254.0.0/16") || lies("fe80::/10")) return "is a link-local address";
  if (isNear(range)) return "is a metadata service of a cloud, or an IPv4 address in IPv6 form";
  if (isPublicAddress(text)) return "is a public address";
  return arePrivateRanges([text]) ? "is a private address" : "is a reserved address";
}

/** The entry that opens exactly this; undefined if no batch can. */
function entryFor({ to: { host, port }, address }: Blocked): HostSpec | undefined {
  if (isIP(host) === 6) return undefined;
  const isLocal = host === "localhost";
  if (address === undefined && !isLocal) return port === HTTPS && !isNearText(host) ? host : `${host}:${port}`;
  const at = address ?? "127.0.0.1";
  if (isNearText(at)) return { host, addresses: [at], port };
  return { host, addresses: [privateNetwork(at)], ...(port === HTTPS ? {} : { port }) };
}

function isNearText(text: string): boolean {
  const range = readRange(text);
  return range !== undefined && isNear(range);
}

/** The well-known private network around an address, or the address alone. */
function privateNetwork(text: string): string {
  const address = readAddress(text);
  const network = PRIVATE_NETWORKS.find((each) => {
    const range = readRange(each);
    return address !== undefined && range !== undefined && isInRange(range, address);
  });
  return network ?? text;
}
