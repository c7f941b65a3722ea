/** Blocks what deletes the whole disk. */
export function blocks(command) {
  return command.includes("rm -rf /");
}
