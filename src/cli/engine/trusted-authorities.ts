import { rootCertificates } from "node:tls";
import { trustedCertificates } from "../../adapters/sandbox/certificates.ts";

/** The certificate authorities (PEM) that models' APIs and token endpoints are checked against. */
export function trustedAuthorities(env: NodeJS.ProcessEnv): string {
  return trustedCertificates({ env, extra: rootCertificates }).pem;
}
