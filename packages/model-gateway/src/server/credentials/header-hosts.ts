import type { HeaderHost } from "../../host-spec.ts";
import { fillSecrets, secretNames } from "../../placeholders.ts";
import { type SecretSource, SecretUnavailable } from "../../secret-source.ts";
import type { Authority } from "../hosts/authority.ts";
import { readAuthority } from "../hosts/authority.ts";
import { Refusal } from "../refusals.ts";

/** The port of an entry without one. */
const HTTPS = 443;
/** Characters of a header's value (RFC 9110, 5.5), without those beyond ASCII: a host could send them back in a form that is not masked. */
const VALUE = /^[\t\x20-\x7e]+$/;

/** The values of headers, and of the secrets in them. */
export interface FilledHeaders {
  readonly headers: Readonly<Record<string, string>>;
  readonly secrets: ReadonlyMap<string, string>;
}

/** The hosts to which a gateway adds headers. */
export class HeaderHosts {
  readonly #entries: readonly (HeaderHost & { readonly to: Authority })[];
  readonly #secrets: SecretSource;

  constructor(entries: readonly HeaderHost[], secrets: SecretSource) {
    this.#secrets = secrets;
    this.#entries = entries.flatMap((entry) => {
      const to = readAuthority(`${entry.host}:${entry.port ?? HTTPS}`);
      return to === undefined ? [] : [{ ...entry, to }];
    });
  }

  /** The entry of exactly this host and port. */
  of({ host, port }: Authority): HeaderHost | undefined {
    return this.#entries.find(({ to }) => to.host === host && to.port === port);
  }

  /** The headers of an entry. Rejects with a Refusal (502) that reveals nothing of a value. */
  async fill({ headers }: HeaderHost): Promise<FilledHeaders> {
    return this.#filled(headers, (name) => this.#secrets.get(name));
  }

  /** The headers after these were refused; undefined if they are the same. */
  async renewed({ headers }: HeaderHost, { secrets: refused }: FilledHeaders): Promise<FilledHeaders | undefined> {
    const filled = await this.#filled(headers, (name) => this.#secrets.renew(name, refused.get(name) ?? ""));
    return [...filled.secrets].every(([name, value]) => refused.get(name) === value) ? undefined : filled;
  }

  async #filled(headers: HeaderHost["headers"], get: (name: string) => Promise<string>): Promise<FilledHeaders> {
    const names = [...new Set(Object.values(headers).flatMap(secretNames))];
    const secrets = new Map<string, string>();
    try {
      for (const name of names) secrets.set(name, await get(name));
    } catch (error) {
      throw new Refusal(502, error instanceof SecretUnavailable ? error.message : "a secret could not be fetched", true);
    }
    const filled = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), fillSecrets(value, secrets)] as const);
    const unfit = filled.find(([, value]) => !VALUE.test(value));
    if (unfit !== undefined)
      throw new Refusal(
        502,
        `the value of ${unfit[0]} cannot be sent: it has a line break, or a character beyond ASCII (encode it: {base64:…})`,
      );
    return { headers: Object.fromEntries(filled), secrets };
  }
}
