import { parentPort, workerData } from "node:worker_threads";
import { changeOf, checkoutFiles, gitState, treeIdentity } from "./tree-identity.ts";

/** A task of the thread that reads trees. */
export type TreeTask =
  | { readonly kind: "identity"; readonly root: string }
  | { readonly kind: "snapshot"; readonly root: string }
  | { readonly kind: "change"; readonly root: string; readonly before: ReadonlyMap<string, string> };

/** The complete program of the thread: one task in, one answer out. */
export function serveTree(): void {
  parentPort?.postMessage(readTree(workerData as TreeTask));
}

function readTree(task: TreeTask): unknown {
  switch (task.kind) {
    case "identity":
      return treeIdentity(task.root);
    case "snapshot":
      return { files: checkoutFiles(task.root), git: gitState(task.root) };
    case "change":
      return { ...changeOf(task.root, task.before), git: gitState(task.root) };
  }
}
