import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { becoming, entering } from "../../../../src/adapters/sandbox/bubblewrap/starter.ts";

// Node's pipes are sockets: bash takes such an input for that of a remote shell, for which it reads ~/.bashrc.
test("what starts a sandbox by bash reads nothing of the user's", async () => {
  const home = mkdtempSync(join(tmpdir(), "loopdash-starter-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  writeFileSync(join(home, ".bashrc"), "echo read; exit 3\n");
  const [program = "", ...args] = becoming(entering(undefined));
  expect(program).toBe("/bin/bash");
  const started = promisify(execFile)(program, [...args, "/bin/echo", "started"], { env: { HOME: home, PATH: "/usr/bin:/bin" } });
  expect((await started).stdout).toBe("started\n");
});
