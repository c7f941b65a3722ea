/** The gateway itself: an HTTP proxy on a Unix socket. */
export { GatewayCertificateAuthority } from "./credentials/certificate-authority.ts";
export { isRefusedSecret } from "./credentials/pass-with-headers.ts";
export { HostRules } from "./hosts/host-rules.ts";
export { connectTo, tunnelThrough, UpstreamProxy } from "./hosts/upstream-proxy.ts";
export { openGatewayAt } from "./open-gateway.ts";
export { Prices } from "./prices/prices.ts";
