import { stat } from "node:fs/promises";
import { errorCode, errorMessage } from "../../domain/values/text.ts";
import type { ExecRequest } from "../../ports/executor.ts";
import { resolveProgram } from "./resolve-program.ts";

const FILES = "too many files are open to start a program: raise the limit (ulimit -n)";

/** The errors that every program would meet now, in words. */
const MACHINE_FAULTS = new Map([
  ["EAGAIN", "the system allows no more processes now: end some, or raise the limit (ulimit -u)"],
  ["EMFILE", FILES],
  ["ENFILE", FILES],
  ["ENOMEM", "the system has no memory for another program: end some"],
]);

/** The reason why a program did not start, in words for people. */
export async function startFailure(request: Pick<ExecRequest, "argv" | "cwd" | "env">, error: unknown): Promise<string> {
  const program = request.argv[0];
  if (program === undefined || program === "") return "there is no program to run";
  const code = systemErrorCode(error);
  const folder = await folderProblem(request.cwd);
  if (folder !== undefined) return `the working folder ${request.cwd} ${folder}`;
  if (code === "ENOENT") {
    const found = await resolveProgram(program, { cwd: request.cwd, path: request.env["PATH"] ?? "/bin:/usr/bin" });
    if (found !== undefined) return `${found} names an interpreter (its #! line) that does not exist`;
    return program.includes("/") ? `there is no program ${program}` : `there is no program ${program} on the PATH`;
  }
  if (code === "EACCES") return `${program} is there but may not be executed (chmod +x)`;
  if (code === "ENOEXEC") return `${program} is not a program this system can execute`;
  if (code === "E2BIG") return "its arguments and environment are too long for the system";
  return MACHINE_FAULTS.get(code ?? "") ?? `${program} could not be started: ${rootCause(error)}`;
}

/** True for an error that every program would meet now. */
export function isMachineFault(error: unknown): boolean {
  return MACHINE_FAULTS.has(systemErrorCode(error) ?? "");
}

async function folderProblem(cwd: string): Promise<string | undefined> {
  try {
    return (await stat(cwd)).isDirectory() ? undefined : "is not a folder";
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return "does not exist";
    return `cannot be entered: ${rootCause(error)}`;
  }
}

/** The system's error code: of the error itself or of the one it wraps. */
function systemErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return errorCode(error) ?? systemErrorCode(error.cause);
}

function rootCause(error: unknown): string {
  return error instanceof Error && error.cause instanceof Error ? rootCause(error.cause) : errorMessage(error);
}
