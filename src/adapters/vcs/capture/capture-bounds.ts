/** Bounds of what reads a worker's leftovers. */
export interface CaptureBounds {
  /** All of a capture, milliseconds. */
  readonly ms: number;
  /** After the attempt was called off, milliseconds: an honest capture is done by then, and nothing is lost. */
  readonly graceMs: number;
  /** Of each process. */
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
  readonly fileBytes: number;
  /** One file, and all files together, that are taken from a worktree. */
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
