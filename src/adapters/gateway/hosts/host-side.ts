import type { GatewayLimits } from "../../../ports/gateway.ts";
import type { OpenLines } from "../open-lines.ts";
import type { Dialler } from "./dial.ts";

/** Counts the traffic to hosts through one gateway. */
export class Traffic {
  /** So far. */
  tunnels = 0;
  /** Under way. */
  open = 0;
  bytesOut = 0;
  bytesIn = 0;
}

/** The part of a gateway that leads to hosts. */
export interface HostSide {
  readonly dialler: Dialler;
  readonly limits: GatewayLimits;
  readonly lines: OpenLines;
  readonly traffic: Traffic;
}
