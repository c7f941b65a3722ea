import { type AndOr, forEachChild, type SyntaxNode } from "unbash";
import type { ShellScope } from "./scope.ts";

/** Walks commands between `&&` and `||`: what comes after `&&` runs only if a `cd` before it did not fail. */
export function walkAndOr({ commands, operators }: AndOr, scope: ShellScope, walk: (node: SyntaxNode) => string): string {
  let folder: string | undefined;
  let output = "";
  for (const [index, command] of commands.entries()) {
    const operator = operators[index - 1];
    const leavesLine = operator === "||" && leaves(command);
    if (operator === "&&") folder ??= scope.ifCdFails;
    if (leavesLine) folder = undefined;
    if (operator === "&&" || leavesLine) scope.ifCdFails = undefined;
    output += walk(command);
  }
  scope.ifCdFails ??= folder;
  return output;
}

/** True if the command ends the line or the loop. */
function leaves(node: SyntaxNode): boolean {
  if (node.type === "Command") return /^(?:exit|return|die|fail|break|continue|kill)$/.test(node.name?.value ?? "");
  let isLeaving = false;
  forEachChild(node, (child) => {
    isLeaving ||= leaves(child);
  });
  return isLeaving;
}
