import type { GatewayLimits } from "../../gateway.ts";
import type { OpenConnections } from "../open-connections.ts";
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

/** What a gateway shares among its connections to hosts: how they are made, their limits, the open ones, and their traffic. */
export interface HostConnections {
  readonly dialler: Dialler;
  readonly limits: GatewayLimits;
  readonly connections: OpenConnections;
  readonly traffic: Traffic;
}
