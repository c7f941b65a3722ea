import { z } from "zod";
import { HeaderHost } from "./header-host.ts";

const hostName = z
  .string()
  .regex(/^(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/, "use a host name, with a port if it is not 443");

/** A host that a step may reach: `name`, `*.name`, `name:port`, or one with headers that the gateway adds. */
export const HostSpec = z.union([hostName, HeaderHost]);
export type HostSpec = z.infer<typeof HostSpec>;

/** True for a host with headers. */
export function isHeaderHost(spec: HostSpec): spec is HeaderHost {
  return typeof spec !== "string" && "headers" in spec;
}
