import { isIP } from "node:net";
import { EXIT, UserError } from "@loopdash/values";
import { type HostSpec, isHeaderHost } from "../../host-spec.ts";
import { type IpRange, isInRange, readAddress, readRange } from "../../ip-range.ts";
import { hostText, isNear, unfitForHost } from "../../open-hosts.ts";
import { type Authority, readAuthority } from "./authority.ts";
import { isPublicAddress } from "./public-address.ts";

/** The port of a rule without one. */
const HTTPS = 443;

interface Rule extends Authority {
  /** True if the rule means every name below `host`, and not `host` itself. */
  readonly below: boolean;
  /** The only addresses that its names may lead to; undefined: public addresses. */
  readonly ranges?: readonly IpRange[];
  readonly hasPort: boolean;
  /** True if the gateway adds headers to requests to this host: then no other rule may lead them elsewhere. */
  readonly hasHeaders: boolean;
}

/** Hosts that may be reached; all others may not. */
export class HostRules {
  readonly #rules: readonly Rule[];

  /** Throws a UserError (exit 2) that names the first invalid rule. */
  constructor(rules: readonly HostSpec[]) {
    this.#rules = rules.map(readRule);
  }

  /** True if a program may ask for this host and port. The addresses of the name are checked later. */
  allows(to: Authority): boolean {
    return this.#matching(to).length > 0;
  }

  /**
   * True if an allowed host's address may be connected to: one of the addresses that its rule gives; for a rule without addresses
   * a public one, or one that is itself listed with this port. So a name that points to this machine or its network leads nowhere
   * unless a person has opened exactly that. An address of this machine, its link or a metadata service must be given as itself,
   * with a port.
   */
  allowsAddress(to: Authority, text: string): boolean {
    const plain = readAuthority(isIP(text) === 6 ? `[${text}]` : text, to.port);
    const address = plain === undefined ? undefined : readAddress(plain.host);
    if (plain === undefined || address === undefined) return false;
    const isItself = this.#rules.some(({ host, port, ranges }) => !ranges && port === plain.port && host === plain.host);
    return this.#matching(to).some(({ ranges, hasPort }) => {
      if (ranges === undefined) return isPublicAddress(plain.host) || isItself;
      return ranges.some(
        (range) => isInRange(range, address) && (isExact(range) ? hasPort || !isNear(range) : !isNearAt(address)),
      );
    });
  }

  /** True if a person has given the addresses of this host. */
  givesAddresses(to: Authority): boolean {
    return this.#matching(to).some(({ ranges }) => ranges !== undefined);
  }

  #matching(to: Authority): readonly Rule[] {
    const matching = this.#rules.filter(
      (rule) => rule.port === to.port && (rule.below ? isBelow(to.host, rule.host) : to.host === rule.host),
    );
    const own = matching.filter(({ hasHeaders }) => hasHeaders);
    return own.length > 0 ? own : matching;
  }
}

function isExact({ base, prefix }: IpRange): boolean {
  return prefix === base.bits;
}

function isNearAt(base: IpRange["base"]): boolean {
  return isNear({ base, prefix: base.bits });
}

function isBelow(host: string, name: string): boolean {
  return isIP(host) === 0 && host.endsWith(`.${name}`);
}

function readRule(spec: HostSpec): Rule {
  const reason = typeof spec === "string" && spec.startsWith("[") ? undefined : unfitForHost(spec);
  if (reason !== undefined) throw unfit(spec, reason);
  if (typeof spec === "string") return readName(spec, spec);
  const { host, addresses, port } = spec;
  const ranges = addresses === undefined ? {} : { ranges: addresses.flatMap((text) => readRange(text) ?? []) };
  return { ...readName(port === undefined ? host : `${host}:${port}`, spec), ...ranges, hasHeaders: isHeaderHost(spec) };
}

function readName(text: string, spec: HostSpec): Rule {
  const below = text.startsWith("*.");
  const name = below ? text.slice(2) : text;
  const authority = readAuthority(name, HTTPS);
  if (authority === undefined) throw unfit(spec, "it is neither a host name nor an IP address");
  return { ...authority, below, hasPort: readAuthority(name) !== undefined, hasHeaders: false };
}

function unfit(spec: HostSpec, why: string): UserError {
  return new UserError({
    what: `the host ${hostText(spec)} cannot be opened`,
    why,
    todo: 'Write a name like "registry.npmjs.org", "*.example.com" or "example.com:8443".',
    exitCode: EXIT.usage,
  });
}
