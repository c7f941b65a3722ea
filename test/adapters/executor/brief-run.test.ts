import { describe, expect, test } from "vitest";
import { runBriefly, runsWell } from "../../../src/adapters/executor/brief-run.ts";

const node = process.execPath;

describe("a brief run", () => {
  test("gives what was printed and the exit code, with nothing inherited and nothing to read", async () => {
    const script = `console.log(Object.keys(process.env).filter((name) => !name.startsWith("__CF")).join());
      process.stdin.on("end", () => { console.error("end"); process.exit(3); }).resume();`;
    const { exitCode, stdout, stderr, problem } = await runBriefly([node, "-e", script], { env: { ONLY: "this" } });
    expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 3, stdout: "ONLY\n", stderr: "end\n" });
    expect(problem).not.toBe("");
  });

  test("one that exits with 0 has no problem", async () => {
    expect(await runBriefly(["/bin/sh", "-c", "exit 0"], { env: {} })).toEqual({
      exitCode: 0,
      stdout: "",
      stderr: "",
      problem: "",
    });
  });

  test("has no exit code where it was killed or did not start", async () => {
    const late = await runBriefly([node, "-e", "process.on('SIGTERM', () => 0); setInterval(() => 0, 1000)"], {
      env: {},
      timeoutMs: 300,
    });
    expect(late.exitCode).toBeUndefined();
    const missing = await runBriefly(["/no/such/program"], { env: {} });
    expect(missing).toMatchObject({ exitCode: undefined, problem: expect.stringContaining("ENOENT") });
  });

  test("can be waited for by the engine", () => {
    const works = (...argv: string[]): boolean => runsWell(argv, { env: {}, timeoutMs: 2_000 });
    expect([works("/bin/sh", "-c", "exit 0"), works("/bin/sh", "-c", "exit 1"), works("/no/such/program")]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
