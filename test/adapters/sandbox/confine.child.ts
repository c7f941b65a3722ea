import { createExecutor } from "../../../src/adapters/executor/process-executor.ts";
import { type BubblewrapOptions, createBubblewrap } from "../../../src/adapters/sandbox/bubblewrap.ts";
import { confinedExecutor } from "../../../src/adapters/sandbox/confined-executor.ts";
import type { ExecRequest } from "../../../src/ports/executor.ts";

/** An engine of its own that runs one request: with other rights, other open files, or to be killed. Prints the result. */
interface Asked {
  readonly sandbox: BubblewrapOptions;
  readonly request: Omit<ExecRequest, "signal">;
}

const asked: Asked = JSON.parse(process.argv[2] ?? "");
const executor = confinedExecutor(createExecutor(), createBubblewrap(asked.sandbox));
const result = await executor.run({ ...asked.request, signal: new AbortController().signal });
console.log(JSON.stringify(result));
