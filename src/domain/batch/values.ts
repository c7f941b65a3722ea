import { z } from "zod";

/** A name of a batch, a step or a resource. */
export const name = z.string().regex(/^[\w][\w .:-]{0,39}$/, "use 1 to 40 letters, digits, spaces, '.', ':', '_' or '-'");

/** Up to a week. */
export const minutes = z
  .number()
  .positive()
  .max(7 * 24 * 60);

export const usd = z.number().nonnegative();
