/** Whether something thrown is a system error of this code (ENOENT, ELOOP, …). */
export function hasCode(cause: unknown, code: string): boolean {
  return cause instanceof Error && "code" in cause && cause.code === code;
}
