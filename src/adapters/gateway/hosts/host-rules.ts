import { isIP } from "node:net";
import type { HostSpec } from "../../../domain/batch/host-spec.ts";
import { hostName } from "../../../domain/batch/hosts.ts";
import { EXIT, UserError } from "../../../domain/values/user-error.ts";
import { type Authority, readAuthority } from "./authority.ts";
import { isPublicAddress } from "./public-address.ts";

/** The port of a rule without one. */
const HTTPS = 443;

interface Rule extends Authority {
  /** True if the rule means every name below `host`, and not `host` itself. */
  readonly below: boolean;
}

/** Hosts that may be reached; all others may not. */
export class HostRules {
  readonly #rules: readonly Rule[];

  /** Throws a UserError (exit 2) that names the first invalid rule. */
  constructor(rules: readonly HostSpec[]) {
    this.#rules = rules.map((spec) => readRule(hostName(spec)));
  }

  /** True if a program may ask for this host and port. The addresses of the name are checked later. */
  allows({ host, port }: Authority): boolean {
    return this.#rules.some((rule) => rule.port === port && (rule.below ? isBelow(host, rule.host) : host === rule.host));
  }

  /**
   * True if an allowed name's address may be connected to: a public address, or one that is itself listed with this port. So a
   * name that points to this machine or its network leads nowhere.
   */
  allowsAddress(address: string, port: number): boolean {
    const plain = readAuthority(isIP(address) === 6 ? `[${address}]` : address, port);
    if (plain === undefined) return false;
    return isPublicAddress(plain.host) || this.#rules.some((rule) => rule.port === port && rule.host === plain.host);
  }
}

function isBelow(host: string, name: string): boolean {
  return isIP(host) === 0 && host.endsWith(`.${name}`);
}

function readRule(text: string): Rule {
  const below = text.startsWith("*.");
  const authority = readAuthority(below ? text.slice(2) : text, HTTPS);
  // A wildcard over a top-level name would open half the world, and addresses have nothing below them.
  const tooWide = below && (authority === undefined || isIP(authority.host) !== 0 || !authority.host.includes("."));
  if (authority === undefined || tooWide) {
    throw new UserError({
      what: `the host "${text}" cannot be opened`,
      why: tooWide ? "a wildcard needs a name of two parts or more behind it" : "it is neither a host name nor an IP address",
      todo: 'Write a name like "registry.npmjs.org", "*.example.com" or "example.com:8443".',
      exitCode: EXIT.usage,
    });
  }
  return { ...authority, below };
}
