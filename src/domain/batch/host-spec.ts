import { z } from "zod";

const port = z.number().int().min(1).max(65_535);
const name = /^(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/;

const hostName = z
  .string()
  .regex(/^(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/, "use a host name, with a port if it is not 443");

/** A host whose addresses are private, by a person's choice. */
const PrivateHost = z.strictObject({
  host: z.string().regex(name, "use a host name without a port").describe("A name, or *.name for every name below it"),
  addresses: z
    .array(z.string().min(1).max(50))
    .min(1)
    .max(20)
    .readonly()
    .describe("Ranges of addresses, such as 10.0.0.0/8: the name must lead into one of them"),
  port: port.optional().describe("The port; default: 443"),
});

/** A host that a step may reach: `name`, `*.name`, `name:port`, or a name with the private addresses that it may lead to. */
export const HostSpec = z.union([hostName, PrivateHost], 'write a host name, or {"host": "…", "addresses": ["…"]}');
export type HostSpec = z.infer<typeof HostSpec>;
