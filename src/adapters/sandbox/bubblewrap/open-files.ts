import { readdirSync, readFileSync } from "node:fs";
import { hasErrorCode } from "../../../domain/values/text.ts";

/** O_CLOEXEC in /proc/pid/fdinfo, octal (proc_pid_fdinfo(5)). */
const CLOSED_ON_EXEC = 0o2_000_000;

/**
 * The file descriptors that a program started by this process would inherit, beyond the three standard ones. Node opens none of
 * that kind, but terminals and editors leave such descriptors to the programs that they start. An open descriptor of an outside
 * folder would let a confined process escape.
 */
export function inheritedFiles(): number[] {
  return readdirSync("/proc/self/fd")
    .map(Number)
    .filter((fd) => fd > 2 && isInherited(fd));
}

function isInherited(fd: number): boolean {
  let info: string;
  try {
    info = readFileSync(`/proc/self/fdinfo/${fd}`, "latin1");
  } catch (error) {
    // This descriptor was the one that read the list.
    if (hasErrorCode(error, "ENOENT")) return false;
    throw error;
  }
  const flags = /^flags:\s*([0-7]+)$/m.exec(info)?.[1];
  return flags === undefined || (Number.parseInt(flags, 8) & CLOSED_ON_EXEC) === 0;
}
