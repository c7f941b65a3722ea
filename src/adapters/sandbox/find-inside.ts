import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Confinement, ExecResult, Sandbox } from "../../ports/executor.ts";
import { createExecutor } from "../executor/process-executor.ts";
import { confinedExecutor } from "./confined-executor.ts";

/** Time limit for the look, which takes some 50 ms. */
const DEADLINE_MS = 20_000;

/** For each argument one line: 1 if it is a readable path, or a name that a folder of PATH has as a program; else 0. */
const LOOK = `
look() {
  case $1 in */*) [ -r "$1" ]; return ;; esac
  IFS=:
  for folder in $PATH; do
    [ -f "$folder/$1" ] && [ -x "$folder/$1" ] && return 0
  done
  return 1
}
for each do (look "$each") && echo 1 || echo 0; done
`;

/** What a process in the sandbox finds, or why none could be started. */
export type FoundInside =
  | { readonly ok: true; readonly missing: ReadonlySet<string> }
  | { readonly ok: false; readonly why: string };

/** Looks in the sandbox for programs by name and for files by absolute path. */
export async function findInside(
  sandbox: Sandbox,
  {
    names,
    env,
    ...opened
  }: { readonly names: readonly string[]; readonly env: Readonly<Record<string, string>> } & Pick<Confinement, "read" | "write">,
): Promise<FoundInside> {
  const folder = await mkdtemp(join(tmpdir(), "loopdash-look-"));
  const lines: string[] = [];
  try {
    const result = await confinedExecutor(createExecutor(), sandbox).run({
      argv: ["/bin/sh", "-c", LOOK, "sh", ...names],
      cwd: "/",
      env,
      logFile: join(folder, "log"),
      timeoutMs: DEADLINE_MS,
      signal: new AbortController().signal,
      marker: `look-${folder}`,
      confinement: { ...opened, mounts: [], sockets: [] },
      onLine: (line, stream) => {
        if (stream === "stdout" && lines.length < names.length) lines.push(line);
      },
    });
    if (result.ending !== "exited" || lines.length < names.length) return { ok: false, why: whyNot(result) };
    return { ok: true, missing: new Set(names.filter((_, i) => lines[i] !== "1")) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function whyNot({ message, tail, ending }: ExecResult): string {
  return message ?? (tail.trim() === "" ? `the look inside ended as ${ending}` : tail.trim());
}
