import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { withPortBases } from "../../../src/adapters/executor/port-bases.ts";
import { createExecutor } from "../../../src/adapters/executor/process-executor.ts";

const root = mkdtempSync(join(tmpdir(), "loopdash-ports-"));
afterAll(() => rmSync(root, { recursive: true }));

describe("LOOPDASH_PORT_BASE", () => {
  /** Each program writes its base and waits until all of them have. */
  const script = `
    const fs = require("fs"), [folder, name, count] = process.argv.slice(1);
    const base = Number(process.env.LOOPDASH_PORT_BASE);
    const server = require("net").createServer().listen(base, "127.0.0.1", () => {
      fs.writeFileSync(folder + "/" + name, String(base));
      setInterval(() => { if (fs.readdirSync(folder).filter((each) => each.startsWith("p")).length >= count) process.exit(0); }, 20);
    });`;
  const executor = withPortBases(createExecutor(), true);
  const run = (name: string, count: number, cwd = root) =>
    executor.run({
      argv: [process.execPath, "-e", script, root, name, String(count)],
      ...{ cwd, env: { PATH: process.env["PATH"] ?? "" }, logFile: join(root, `${name}.log`).replace("/p", "/log-p") },
      ...{ timeoutMs: 60_000, signal: new AbortController().signal, marker: name },
    });

  test("differs between programs that run at the same time, each of which can listen there", { timeout: 90_000 }, async () => {
    const names = ["p1", "p2", "p3", "p4"];
    const ended = await Promise.all(names.map((name) => run(name, names.length)));
    expect(ended.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
    const bases = names.map((name) => Number(readFileSync(join(root, name), "utf8")));
    expect(bases).toEqual([20_000, 20_100, 20_200, 20_300]);
    // A folder gets its last range again.
    await run("p5", 0);
    expect(readFileSync(join(root, "p5"), "utf8")).toBe("20300");
  });
});
