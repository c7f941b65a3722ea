import { z } from "zod";
import { Argv } from "./prepare-command.ts";

/** The name of a secret. */
export const SecretName = z.string().regex(/^[A-Za-z][\w-]{0,39}$/, "use a letter and then up to 39 letters, digits, '_' or '-'");

/** The place that a secret's value comes from. */
export const SecretSpec = z
  .strictObject({
    env: z
      .string()
      .regex(/^[A-Za-z_]\w{0,99}$/, "use the name of an environment variable")
      .optional()
      .describe("An environment variable of loopdash itself"),
    file: z
      .string()
      .min(1)
      .max(4096)
      .optional()
      .describe("A file with only the value: absolute, below ~/, or relative to this file"),
    command: Argv.optional().describe(
      "A command that prints the value, run with your rights; {batch} stands for this file's folder",
    ),
    expiresAfterMinutes: z
      .number()
      .min(0.05)
      .max(7 * 24 * 60)
      .optional()
      .describe("Minutes after which it is fetched again; default: after an answer 401 or 403"),
  })
  .refine(
    ({ env, file, command }) => [env, file, command].filter((each) => each !== undefined).length === 1,
    'must have exactly one of "env", "file" and "command"',
  )
  .describe("Where the value comes from");
export type SecretSpec = z.infer<typeof SecretSpec>;

export const SecretSpecs = z
  .record(SecretName, SecretSpec)
  .describe("Credentials for single steps; no agent and no check gets one (docs/use/secrets.md)");
export type SecretSpecs = z.infer<typeof SecretSpecs>;
