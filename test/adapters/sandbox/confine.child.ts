import { dirname } from "node:path";
import { createExecutor } from "../../../src/adapters/executor/process-executor.ts";
import { type BubblewrapOptions, createBubblewrap } from "../../../src/adapters/sandbox/bubblewrap/bubblewrap.ts";
import { confinedExecutor } from "../../../src/adapters/sandbox/confined-executor.ts";
import { findSandbox } from "../../../src/adapters/sandbox/find-sandbox.ts";
import type { ExecRequest, Sandbox } from "../../../src/ports/executor.ts";

/** An engine of its own that runs one request: with other rights, other open files, or to be killed. Prints the result. */
interface Asked {
  /** Whether the sandbox is looked for, as a run does it. */
  readonly found: boolean;
  readonly sandbox: BubblewrapOptions;
  readonly request: Omit<ExecRequest, "signal">;
}

const asked: Asked = JSON.parse(process.argv[2] ?? "");
const executor = confinedExecutor(createExecutor(), asked.found ? await found() : createBubblewrap(asked.sandbox));
const result = await executor.run({ ...asked.request, signal: new AbortController().signal });
console.log(JSON.stringify(result));

async function found(): Promise<Sandbox> {
  const { program, ...rest } = asked.sandbox;
  const end = await findSandbox({ ...rest, path: dirname(program) });
  if (!end.ok) throw new Error(end.why);
  return end.sandbox;
}
