/** The entry of a command in the audit log: one line. */
export function entry(command) {
  return JSON.stringify({ command });
}
