/** What a run tells the reminder at a stop. */
export interface StopTask {
  /** Times that it tells what is unmet. */
  readonly times: number;
  /** The file in the guard's folder with the number of tellings that the engine has seen; absent while there is none. */
  readonly toldFile: string;
  /** The commit that the worktree began with. */
  readonly baseSha: string;
  /** Commands of the finish line that are run in the worktree; empty: none. */
  readonly checks: readonly { readonly name: string; readonly command: readonly string[] }[];
}
