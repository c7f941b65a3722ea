import { forEachChild, type SyntaxNode } from "unbash";

/** True if a function starts itself again in a pipe or in the background. */
export function isForkBomb(node: SyntaxNode, name: string, isForked: boolean): boolean {
  let isBomb = false;
  const isHere = isForked || (node.type === "Pipeline" && node.commands.length > 1);
  forEachChild(node, (child) => {
    if (isBomb) return;
    if (child.type === "Command" && child.name?.value === name && isHere) isBomb = true;
    else isBomb = isForkBomb(child, name, isHere || (child.type === "Statement" && child.background === true));
  });
  return isBomb;
}
