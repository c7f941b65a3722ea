/** Bounds of the processes that read a worker's leftovers. */
export interface CaptureBounds {
  /** Time limit of the whole capture. Milliseconds. */
  readonly ms: number;
  /** Time left after the attempt was cancelled, in milliseconds: an honest capture finishes by then, and no work is lost. */
  readonly graceMs: number;
  /** Limits of each process. */
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
  readonly fileBytes: number;
  /** Size limits of files taken from a worktree: one file, and all together. */
  readonly oneFileBytes: number;
  readonly allFilesBytes: number;
}

const GIB = 2 ** 30;

export const CAPTURE_BOUNDS: CaptureBounds = {
  ms: 120_000,
  graceMs: 2_000,
  cpuSeconds: 60,
  memoryBytes: 3 * GIB,
  fileBytes: 2 * GIB,
  oneFileBytes: GIB / 2,
  allFilesBytes: 2 * GIB,
};
