import { z } from "zod";
import type { Path } from "./problem.ts";

/** A program and its arguments. Never a shell line: no shell ever parses it. */
export const Argv = z.array(z.string().min(1)).min(1).describe("A program and its arguments; no shell reads it").readonly();
export type Argv = z.infer<typeof Argv>;

/** Variables of a command. A secret goes only to a program in the batch file's folder; see `checkVariables`. */
export const Variables = z
  .record(z.string().regex(/^[A-Za-z_]\w{0,99}$/, "use the name of an environment variable"), z.string().max(4000))
  .describe("Variables; {secret:name} is for a program in this file's folder (docs/use/secrets.md)");

/** Test commands by repository; those that name none are left out. */
export type TestCommands = Readonly<Record<string, Argv>>;

/** A command that makes a fresh worktree ready: a program and its arguments, or the same with variables. */
export const PrepareCommand = z.union(
  [Argv, z.strictObject({ command: Argv, env: Variables.optional() })],
  'must be a list of texts, or {"command": […], "env": {…}}',
);
export type PrepareCommand = z.infer<typeof PrepareCommand>;

/** A command and its variables: the form of every entry of `prepare` after `prepareCommand`. */
export interface CommandWithVariables {
  readonly command: Argv;
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** The command and the variables of an entry of `prepare`, however it is written. */
export function prepareCommand(entry: PrepareCommand): CommandWithVariables {
  return "command" in entry ? entry : { command: entry };
}

/** The path of an entry's command in the batch file; `path` is that of the entry. */
export function prepareCommandPath(entry: PrepareCommand, path: Path): Path {
  return "command" in entry ? [...path, "command"] : path;
}

/** The commands of entries, without their variables. */
export function prepareCommands(entries: readonly PrepareCommand[]): readonly Argv[] {
  return entries.map((entry) => prepareCommand(entry).command);
}
