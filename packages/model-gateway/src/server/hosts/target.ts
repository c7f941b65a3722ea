import { isIP } from "node:net";
import { type Authority, readAuthority } from "./authority.ts";

/** The target of a request line. */
export type HostTarget =
  | { readonly form: "origin"; readonly path: string }
  | { readonly form: "absolute"; readonly to: Authority; readonly path: string };

/** The path of a request target: printable ASCII without characters that another reader could interpret differently. */
const PATH = /^\/[\x21-\x7e]*$/;
const REFUSED = /[#\\]/;
const ABSOLUTE = /^http:\/\/([^/?#]*)(\/.*|\?.*)?$/i;

/** Reads the target of a request (RFC 9112, 3.2); undefined if it is neither a path nor a plain HTTP URL. */
export function readTarget(text: string): HostTarget | undefined {
  if (text.startsWith("/")) return isPath(text) ? { form: "origin", path: text } : undefined;
  const found = ABSOLUTE.exec(text);
  const to = found === null ? undefined : readAuthority(found[1] ?? "", 80);
  const rest = found?.[2] ?? "/";
  const path = rest.startsWith("/") ? rest : `/${rest}`;
  return to !== undefined && isPath(path) ? { form: "absolute", to, path } : undefined;
}

function isPath(text: string): boolean {
  return PATH.test(text) && !REFUSED.test(text);
}

/**
 * True if a host names the model's API or the relay itself: a program that sends everything through its proxy writes the relay's
 * address or the API's own name in front of the path.
 */
export function meansModel(to: Authority, base: URL): boolean {
  return (
    to.host === "localhost" ||
    to.host === base.hostname ||
    (isIP(to.host) === 4 && to.host.startsWith("127.")) ||
    to.host === "::1"
  );
}
