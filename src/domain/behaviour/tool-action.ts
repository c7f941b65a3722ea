/** What a tool does to the worktree, as its program reports it: a claim. Paths and commands are as the program wrote them. */
export type ToolAction =
  /** `range`: which part of the files, so that two parts of one file are two actions. */
  | { readonly does: "read"; readonly paths: readonly string[]; readonly range?: string }
  | { readonly does: "search" }
  | { readonly does: "edit"; readonly paths: readonly string[] }
  /** `cwd`: the folder, if the program tells it. */
  | { readonly does: "run"; readonly command: string; readonly cwd?: string };
