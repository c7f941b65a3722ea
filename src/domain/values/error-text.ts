/** The message of an error; for anything else that was thrown, its text. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The code of an error of the system or of Node ("ENOENT", "ERR_OUT_OF_RANGE"); undefined for any other error. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** True if something thrown is an error of the system or of Node with one of these codes. */
export function hasErrorCode(error: unknown, ...codes: readonly string[]): boolean {
  const code = errorCode(error);
  return code !== undefined && codes.includes(code);
}
