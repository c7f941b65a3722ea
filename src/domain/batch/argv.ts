import { z } from "zod";

/** A program and its arguments. Never a shell line: no shell ever parses it. */
export const Argv = z.array(z.string().min(1)).min(1).describe("A program and its arguments; no shell reads it").readonly();
export type Argv = z.infer<typeof Argv>;

/** Test commands by repository; those that name none are left out. */
export type TestCommands = Readonly<Record<string, Argv>>;
