import { z } from "zod";

/** A name of a batch, a step or a resource. */
export const name = z.string().regex(/^[\w][\w .:-]{0,39}$/, "use 1 to 40 letters, digits, spaces, '.', ':', '_' or '-'");

/** Up to a week. */
export const minutes = z
  .number()
  .positive()
  .max(7 * 24 * 60);

export const usd = z.number().nonnegative();

/** The address of a service's API. */
export const Address = z
  .url({ protocol: /^https?$/, error: "write an address such as https://tracker.example/graphql" })
  .refine((text) => !/[@?#]/.test(text), "must have no user name, no ? and no #");

/** `owner/name` on GitHub. */
export const FullName = z
  .string()
  .regex(/^[A-Za-z0-9](?:-?[A-Za-z0-9]){0,38}\/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/, "write it as owner/name");
