/** Exit codes of a run; stable. Only the oracle's verdict gives 0. */
export const EXIT = { done: 0, notDone: 1, usage: 2, unjudged: 3, refused: 4, interrupted: 130 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/**
 * A failure that a person can fix: printed as what / why / what to do, without a stack trace. Any other thrown error is a defect
 * of loopdash.
 */
export class UserError extends Error {
  override readonly name = "UserError";
  readonly what: string;
  readonly why: string;
  readonly todo: string;
  readonly exitCode: ExitCode;
  /** A question whose yes would remove the reason, for a person at a terminal. */
  readonly offer: string | undefined;

  constructor(options: { what: string; why: string; todo: string; exitCode: ExitCode; cause?: unknown; offer?: string }) {
    super(`${options.what}: ${options.why}`, { cause: options.cause });
    this.what = options.what;
    this.why = options.why;
    this.todo = options.todo;
    this.exitCode = options.exitCode;
    this.offer = options.offer;
  }
}
