/** The state of the world is not known well enough to say anything: exit 2, never 0, never 1. */
export class CannotJudge extends Error {
  override readonly name = "CannotJudge";
}
