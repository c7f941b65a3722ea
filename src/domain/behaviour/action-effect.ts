import { type ActionEffect, effectOfCommand, MOST_PATHS } from "@loopdash/guard";
import type { ToolAction } from "./tool-action.ts";

/** The effect of an action. A shell command that only reads files has the effect of reading them. */
export function actionEffect(action: ToolAction): ActionEffect {
  switch (action.does) {
    case "read":
      return { reads: action.paths.slice(0, MOST_PATHS), edits: [], runs: false };
    case "search":
      return { reads: [], edits: [], runs: false };
    case "edit":
      return { reads: [], edits: action.paths.slice(0, MOST_PATHS), runs: false };
    case "run":
      return effectOfCommand(action.command);
  }
}
