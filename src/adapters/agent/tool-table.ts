import { asList, asString, type JsonObject } from "@loopdash/values";
import type { ToolAction } from "../../domain/behaviour/tool-action.ts";
import type { AgentEvent } from "../../domain/run/agent-event.ts";
import { tool } from "./event-format.ts";

/** The effects of a vendor's tools on the worktree, by their names. A tool that is not listed has no known effect. */
export type ToolTable = Readonly<Record<string, ToolReader>>;

type ToolReader = (input: JsonObject) => ToolAction;

/** A tool that reads the files in these members of its input. */
export function reads(...members: readonly string[]): ToolReader {
  return (input) => {
    const range = Object.values(input).filter((value) => typeof value === "number");
    return { does: "read", paths: pathsIn(input, members), range: range.length === 0 ? undefined : range.join(" ") };
  };
}

/** A tool that changes the files in these members of its input. */
export function edits(...members: readonly string[]): ToolReader {
  return (input) => ({ does: "edit", paths: pathsIn(input, members) });
}

/** A tool that runs the shell command in this member of its input, in the folder of one of the others. */
export function runs(member: string, ...folders: readonly string[]): ToolReader {
  return (input) => {
    const [cwd] = pathsIn(input, folders);
    return { does: "run", command: asString(input[member]) ?? "", cwd };
  };
}

/** A tool that finds something out. */
export const searches: ToolReader = () => ({ does: "search" });

/** Paths that one action names. */
const MOST_PATHS = 50;

function pathsIn(input: JsonObject, members: readonly string[]): readonly string[] {
  const all = members.flatMap((name) => [asString(input[name]), ...asList(input[name]).map(asString)]);
  return all.filter((path) => path !== undefined && path !== "").slice(0, MOST_PATHS) as readonly string[];
}

/** The event of a tool's use, with what the table says of it. `call`: the program's name of this use. */
export function toolEvent(
  table: ToolTable,
  {
    name,
    input,
    call,
  }: { readonly name: string | undefined; readonly input: JsonObject | undefined; readonly call: string | undefined },
): AgentEvent {
  const action = name !== undefined && Object.hasOwn(table, name) ? table[name]?.(input ?? {}) : undefined;
  return { ...tool(name, input), ...(action && { action }), ...(call === undefined ? {} : { call }) };
}
