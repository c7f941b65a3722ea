import { parentPort, workerData } from "node:worker_threads";
import { errorCode, errorMessage } from "../../domain/values/text.ts";
import { checkoutFiles, compareCheckout, gitState, treeIdentity, UnreadableTree } from "./tree-identity.ts";

/** A task of the thread that reads trees. */
export type TreeTask =
  | { readonly kind: "identity"; readonly root: string }
  | { readonly kind: "snapshot"; readonly root: string }
  | { readonly kind: "change"; readonly root: string; readonly before: ReadonlyMap<string, string> };

/** The answer of the thread, or the reason that the tree cannot be read. */
export type TreeAnswer<T> = { readonly value: T } | { readonly problem: string };

/** The complete program of the thread: one task in, one answer out. */
export function serveTree(): void {
  parentPort?.postMessage(answerTask(workerData as TreeTask));
}

/** What prepare commands leave may be unreadable in any way: an error of the system is no defect. */
function answerTask(task: TreeTask): TreeAnswer<unknown> {
  try {
    return { value: readTree(task) };
  } catch (error) {
    if (!(error instanceof UnreadableTree) && errorCode(error) === undefined) throw error;
    return { problem: errorMessage(error) };
  }
}

function readTree(task: TreeTask): unknown {
  switch (task.kind) {
    case "identity":
      return treeIdentity(task.root);
    case "snapshot":
      return { files: checkoutFiles(task.root), git: gitState(task.root) };
    case "change":
      return { ...compareCheckout(task.root, task.before), git: gitState(task.root) };
  }
}
