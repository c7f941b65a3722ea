import { isIP } from "node:net";

/** A host and port, as one canonical text each. */
export interface Authority {
  /** A name in lower case, or an IP address without brackets. */
  readonly host: string;
  readonly port: number;
}

const NAME = /^(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)*[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
/** Texts that a URL parser takes for a number (WHATWG URL, "ends in a number"): 127.1, 0x7f.1, 2130706433. */
const NUMBER = /^(?:\d+|0x[0-9a-f]*)$/;

/**
 * Reads `name:port`, `1.2.3.4:port` or `[v6]:port`; `fallback` is the default port. Undefined for anything else: another spelling
 * of an address (decimal, octal, short), a final dot, credentials, a name that is too long.
 */
export function readAuthority(text: string, fallback?: number): Authority | undefined {
  const found = /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+))(?::(\d{1,5}))?$/.exec(text);
  if (found === null) return undefined;
  const [, v6, name, digits] = found;
  const port = digits === undefined ? fallback : Number(digits);
  if (port === undefined || port < 1 || port > 65_535) return undefined;
  const host = v6 === undefined ? readName(name ?? "") : isIP(v6) === 6 ? canonicalV6(v6) : undefined;
  return host === undefined ? undefined : { host, port };
}

/** The one spelling of an IPv6 address that a URL has (RFC 5952); those with IPv4 inside in hexadecimal. */
function canonicalV6(text: string): string {
  return new URL(`http://[${text}]/`).hostname.slice(1, -1);
}

function readName(text: string): string | undefined {
  const name = text.toLowerCase();
  if (isIP(name) === 4) return name;
  if (name.length > 253 || !NAME.test(name) || name.split(".").some((label) => label.length > 63)) return undefined;
  return NUMBER.test(name.slice(name.lastIndexOf(".") + 1)) ? undefined : name;
}
