import { z } from "zod";

/** A program and its arguments. Never a shell line: no shell ever parses it. */
export const Argv = z.array(z.string().min(1)).min(1).describe("A program and its arguments; no shell reads it").readonly();
export type Argv = z.infer<typeof Argv>;

/** Variables of a command. A secret goes only to a program in the batch file's folder; see `checkVariables`. */
export const Variables = z
  .record(z.string().regex(/^[A-Za-z_]\w{0,99}$/, "use the name of an environment variable"), z.string().max(4000))
  .describe(
    "Further variables of the command; {secret:name} stands for a secret, which only a program in the batch file's folder may get",
  );

/** Test commands by repository; those that name none are left out. */
export type TestCommands = Readonly<Record<string, Argv>>;
