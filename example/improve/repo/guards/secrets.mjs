/** Blocks what reaches files with secrets. */
export function blocks(command) {
  return /\bcat\s+\S*\.env\b/.test(command);
}
