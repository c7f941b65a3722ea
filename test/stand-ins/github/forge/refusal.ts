/** Why something was not done, as GitHub's REST API says it. */
export class Refusal extends Error {
  readonly status: number;
  readonly errors: readonly object[] | undefined;

  constructor(status: number, message: string, errors?: readonly object[]) {
    super(message);
    this.status = status;
    this.errors = errors;
  }
}
