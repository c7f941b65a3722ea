import { displayValue } from "@loopdash/values";
import type { HostSpec } from "./host-spec.ts";
import { doOverlap, type IpRange, isInRange, readRange } from "./ip-range.ts";

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

/** A name that URL parsers take for a number, and so for another spelling of an address (WHATWG URL, "ends in a number"). */
const NUMBER = /^(?:\d+|0x[0-9a-f]*)$/;

const LONGEST_NAME = 253;

/** Names below which a registry sells names to anybody: `co.uk`, `com.au` (publicsuffix.org has all of them). */
const SHARED_SUFFIX = /^(?:ac|co|com|edu|gob|gov|gv|ltd|ne|net|nom|or|org|plc|sch)\.[a-z]{2}$/;

/** The widest ranges: 10.0.0.0/8 is the largest private block of IPv4 (RFC 1918), fc00::/7 that of IPv6 (RFC 4193). */
const WIDEST = { 32: 8, 128: 7 } as const;

/**
 * Addresses of this machine itself, of its link, and of services that hand out the machine's credentials: 0.0.0.0 leads to
 * loopback on Linux; the clouds' metadata services are 169.254.169.254 (link-local), 100.100.100.200 (Alibaba), 192.0.0.192
 * (Oracle), 168.63.129.16 (Azure), fd00:ec2::254 (AWS) and fd20:ce::254 (Google). The IPv6 blocks below hold IPv4 addresses.
 */
const NEAR = [
  ...["0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "100.100.100.200", "192.0.0.192", "168.63.129.16"],
  ...["::/96", "::ffff:0:0/96", "64:ff9b::/96", "2002::/16", "fe80::/10", "fd00:ec2::254", "fd20:ce::254"],
].flatMap((text) => readRange(text) ?? []);

/** The private networks in common use: RFC 1918, RFC 6598, RFC 2544 and RFC 4193. */
export const PRIVATE_NETWORKS = [
  ...["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "198.18.0.0/15"],
  "fc00::/7",
] as const;

/** This machine and its link: nobody outside that link can listen. */
const LOCAL = ["127.0.0.0/8", "169.254.0.0/16", "::1", "fe80::/10"] as const;

/** True if nothing on the public internet lies in these ranges, and there is one. False for a text that is no range. */
export function arePrivateRanges(ranges: readonly string[]): boolean {
  const networks = [...PRIVATE_NETWORKS, ...LOCAL].flatMap((text) => readRange(text) ?? []);
  const isPrivate = (text: string): boolean => {
    const range = readRange(text);
    return range !== undefined && networks.some((network) => network.prefix <= range.prefix && isInRange(network, range.base));
  };
  return ranges.length > 0 && ranges.every(isPrivate);
}

/** The reason why a host with valid letters cannot be opened; undefined if it can. The gateway has the same rule. */
export function unfitForHost(spec: HostSpec): string | undefined {
  if (typeof spec === "string") return unfitForName(spec);
  const { host, addresses = [], port } = spec;
  const reason = host.includes(":")
    ? `${displayValue(host)} has a port: give it as "port"`
    : unfitForName(port === undefined ? host : `${host}:${port}`);
  return reason ?? addresses.map((text) => unfitForRange(text, port)).find((each) => each !== undefined);
}

function unfitForName(text: string): string | undefined {
  const below = text.startsWith("*.");
  const [, host = "", port] = /^(?:\*\.)?([^:]*)(?::(\d+))?$/.exec(text) ?? [];
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535))
    return `${displayValue(text)} has a port outside 1 to 65535`;
  const isAddress = IPV4.test(host);
  const address = readRange(host);
  if (address !== undefined && isNear(address) && port === undefined)
    return `${displayValue(text)} is an address of this machine or its link: name its port as well`;
  if (!(isAddress || isName(host))) return `${displayValue(text)} is neither a host name nor an IP address`;
  if (below && (isAddress || !host.includes(".")))
    return `${displayValue(text)} is too wide: two parts or more must follow the star`;
  if (below && SHARED_SUFFIX.test(host)) return `${displayValue(text)} is too wide: names of many owners end in ${host}`;
  return undefined;
}

function unfitForRange(text: string, port: number | undefined): string | undefined {
  const range = readRange(text);
  if (range === undefined) return `${displayValue(text)} is not a range of addresses, such as 10.0.0.0/8`;
  if (range.prefix < WIDEST[range.base.bits])
    return `${displayValue(text)} is too wide: a range has at least ${WIDEST[range.base.bits]} leading bits`;
  if (!isNear(range) || (range.prefix === range.base.bits && port !== undefined)) return undefined;
  // A wider range may hold a single such address, which it then leaves closed.
  if (!NEAR.some((near) => near.prefix <= range.prefix && doOverlap(near, range))) return undefined;
  return `${displayValue(text)} leads to this machine or its link: give the one address, and a "port"`;
}

/** True if a range holds an address of this machine, its link or a metadata service: only that one address and a port opens it. */
export function isNear(range: IpRange): boolean {
  return NEAR.some((near) => doOverlap(near, range));
}

function isName(host: string): boolean {
  const labels = host.split(".");
  return host.length <= LONGEST_NAME && labels.every((label) => LABEL.test(label)) && !NUMBER.test(labels.at(-1) ?? "");
}

/** A host entry as a batch has it, in JSON. */
export function hostText(spec: HostSpec): string {
  return typeof spec === "string" ? JSON.stringify(spec) : `{${Object.entries(spec).map(memberText).join(", ")}}`;
}

function memberText([key, value]: readonly [string, unknown]): string {
  const text = Array.isArray(value) ? `[${value.map((each) => JSON.stringify(each)).join(", ")}]` : JSON.stringify(value);
  return `"${key}": ${text}`;
}
