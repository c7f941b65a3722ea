import type { Gateway, GatewayOptions } from "@loopdash/model-gateway";
import { openGatewayAt } from "@loopdash/model-gateway/server";
import { makeSocketLocation } from "./socket-location.ts";

export interface OpenGatewayOptions extends Omit<GatewayOptions, "place"> {
  /** Parent of the private folder for the socket. Another parent is used if the path is too long for a socket. */
  readonly folder: string;
}

/** Opens a gateway in a new private folder. Throws a UserError as openGatewayAt does; exit 4 if the folder cannot be made. */
export function openGateway({ folder, ...options }: OpenGatewayOptions): Promise<Gateway> {
  return openGatewayAt({ ...options, place: () => makeSocketLocation(folder) });
}
