import { z } from "zod";

/** Methods that change nothing (RFC 9110, 9.2.1). */
const SAFE_METHODS = ["GET", "HEAD"] as const;

/** A host to whose requests the gateway adds headers with secrets. */
export const HeaderHost = z.strictObject({
  host: z
    .string()
    .regex(/^(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/, "use a host name without a port")
    .describe("One name, or an IP address"),
  port: z.number().int().min(1).max(65_535).optional().describe("The port; default: 443"),
  addresses: z
    .array(z.string().min(1).max(50))
    .min(1)
    .max(20)
    .readonly()
    .optional()
    .describe("Ranges of private addresses that the name may lead to; needed for http without TLS"),
  headers: z
    .record(z.string().regex(/^[A-Za-z][A-Za-z0-9-]{0,99}$/, "use the name of a header"), z.string().min(1).max(4000))
    .refine((headers) => Object.keys(headers).length > 0, "name at least one header")
    .describe("Headers that the gateway sets, in place of those that the program sent; {secret:name} stands for a secret"),
  methods: z
    .array(z.string().regex(/^[A-Z]{1,20}$/, "use the name of a method in capitals"))
    .min(1)
    .max(20)
    .readonly()
    .optional()
    .describe("Methods of requests that are passed on; default: GET and HEAD"),
});
export type HeaderHost = z.infer<typeof HeaderHost>;

/** The methods that an entry lets through. */
export function methodsOf({ methods = SAFE_METHODS }: Pick<HeaderHost, "methods">): readonly string[] {
  return methods;
}
