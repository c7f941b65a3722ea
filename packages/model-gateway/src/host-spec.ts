import { z } from "zod";

const port = z.number().int().min(1).max(65_535);
const name = /^(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/;

const hostName = z
  .string()
  .regex(/^(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/, "use a host name, with a port if it is not 443");

/** Methods that change nothing (RFC 9110, 9.2.1). */
const SAFE_METHODS = ["GET", "HEAD"] as const;

/** A host whose addresses are private, by a person's choice, or to whose requests the gateway adds headers. */
const HostEntry = z
  .strictObject({
    host: z.string().regex(name, "use a host name without a port").describe("A name, or *.name for every name below it"),
    addresses: z
      .array(z.string().min(1).max(50))
      .min(1)
      .max(20)
      .readonly()
      .optional()
      .describe("Private ranges that the name must resolve into, such as 10.0.0.0/8"),
    port: port.optional().describe("The port; default: 443"),
    headers: z
      .record(z.string().regex(/^[A-Za-z][A-Za-z0-9-]{0,99}$/, "use the name of a header"), z.string().min(1).max(4000))
      .optional()
      .describe("Headers that the gateway sets; may hold {secret:name} (docs/use/secrets.md#a-header-that-the-gateway-adds)"),
    methods: z
      .array(z.string().regex(/^[A-Z]{1,20}$/, "use the name of a method in capitals"))
      .min(1)
      .max(20)
      .readonly()
      .optional()
      .describe("Methods allowed to a host with headers; default: GET and HEAD"),
  })
  .refine(
    ({ addresses, headers }) => addresses !== undefined || headers !== undefined,
    'must have "addresses", "headers" or both',
  )
  .refine(({ methods, headers }) => methods === undefined || headers !== undefined, {
    message: "means nothing without headers",
    path: ["methods"],
  });

/** A host that a step may reach: `name`, `*.name`, `name:port`, or a name with the private addresses that it may lead to. */
export const HostSpec = z.union([hostName, HostEntry], 'write a host name, or {"host": "…", "addresses": ["…"]}');
export type HostSpec = z.infer<typeof HostSpec>;

/** A host to whose requests the gateway adds headers. */
export type HeaderHost = z.infer<typeof HostEntry> & { readonly headers: Readonly<Record<string, string>> };

/** True for a host with headers. */
export function isHeaderHost(spec: HostSpec): spec is HeaderHost {
  return typeof spec !== "string" && spec.headers !== undefined;
}

/** The methods that an entry lets through. */
export function allowedMethods({ methods = SAFE_METHODS }: Pick<HeaderHost, "methods">): readonly string[] {
  return methods;
}
