import type { GatewayLimits } from "../gateway.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const MIB = 1024 * 1024;

/**
 * Limits that honest programs stay well within. Anthropic takes requests of at most 32 MB; a long answer that is not streamed may
 * take ten minutes to begin (Claude Code and Codex wait that long).
 */
const DEFAULTS: GatewayLimits = {
  headMs: 10 * SECOND,
  requestMs: 5 * MINUTE,
  connectMs: 15 * SECOND,
  answerMs: 10 * MINUTE,
  idleMs: 5 * MINUTE,
  totalMs: 60 * MINUTE,
  headBytes: 32 * 1024,
  bodyBytes: 32 * MIB,
  heldBytes: 96 * MIB,
  answerBytes: 64 * MIB,
  connections: 256,
  tunnels: 64,
};

/** The limits of a gateway: the given ones, and defaults for the rest. */
export function gatewayLimits(given: Partial<GatewayLimits> | undefined): GatewayLimits {
  return { ...DEFAULTS, ...given };
}
