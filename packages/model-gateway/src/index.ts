/** The types of a gateway, and the forms of what it lets through. Pure. */
export { type BlockedConnection, blockedRemedy, describeBlocked } from "./blocked-connection.ts";
export type {
  BilledTokens,
  CodeAssistAccount,
  Gateway,
  GatewayCredentials,
  GatewayOptions,
  GatewayTotals,
  ModelApi,
  ModelCredential,
  ModelPlatform,
  ModelUpstream,
  Price,
  Rates,
  SocketLocation,
} from "./gateway.ts";
export { type HeaderHost, HostSpec, isHeaderHost } from "./host-spec.ts";
export { arePrivateRanges, unfitForHost } from "./open-hosts.ts";
export { fillSecrets, secretNames } from "./placeholders.ts";
export { type Masker, type MaskingStream, SecretUnavailable } from "./secret-source.ts";
