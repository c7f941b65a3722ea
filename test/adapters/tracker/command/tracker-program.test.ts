import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type TrackerProgramError, trackerProgram } from "../../../../src/adapters/tracker/command/tracker-program.ts";
import { scratchFolder } from "../../../helpers/scratch.ts";
import { aProgram } from "./program-stage.ts";

const folder = scratchFolder();
const environment = async () => ({});

/** The error of a request. */
async function failureOf(script: string, timeoutMs?: number): Promise<TrackerProgramError> {
  const asked = aProgram(folder(), script, timeoutMs === undefined ? {} : { timeoutMs }).ask("snapshot");
  return asked.then(
    (answer) => Promise.reject(new Error(`it answered ${answer.slice(0, 100)}`)),
    (error: TrackerProgramError) => error,
  );
}

/** True while a process of this number is at work; a zombie is not. */
function isAtWork(pid: number): boolean {
  return existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
}

describe("a request to a tracker program", () => {
  test("gives the verb as the last argument, the input as one line, and the answer on stdout", async () => {
    const program = aProgram(folder(), `print(process.argv.slice(2), await text(process.stdin), process.cwd())`);
    expect(
      (await program.ask("set", { id: "T-1", note: "a\nb é" }))
        .split("\n")
        .slice(0, -1)
        .map((l) => JSON.parse(l)),
    ).toEqual([["set"], '{"id":"T-1","note":"a\\nb é"}\n', folder()]);
    expect(JSON.parse((await program.ask("taken")).split("\n")[1] ?? "")).toBe("");
  });

  test("has no other environment than what is given for it, anew each time", async () => {
    let token = 0;
    const program = aProgram(folder(), `print(process.env)`, {
      environment: async () => {
        token += 1;
        return { TOKEN: `t${token}` };
      },
    });
    expect(JSON.parse(await program.ask("snapshot"))).toEqual({ TOKEN: "t1" });
    expect(JSON.parse(await program.ask("snapshot"))).toEqual({ TOKEN: "t2" });
  });

  test("need not be read by the program", async () => {
    const program = aProgram(folder(), `print(1); process.exit(0)`);
    expect(await program.ask("file", { body: "x".repeat(1_000_000) })).toBe("1\n");
  });

  test("fails with the last line of stderr, as plain text, and with nothing of stdout", async () => {
    const script = `print("token-on-stdout"); process.stderr.write("Bearer s3cr3t\\n\\u001b[31mlogin\\u001b[0m failed:\\t\\u202e401\\n\\n"); process.exitCode = 3`;
    const error = await failureOf(script);
    expect(error.message).toMatch(/^the tracker program "[\w.-]+" ended with exit code 3: login failed: 401$/);
    expect(error.exitCode).toBe(3);
  });

  test("fails with a bounded reason, however much stderr has", async () => {
    const error = await failureOf(`process.stderr.write("x".repeat(3_000_000), () => process.exit(1))`);
    expect(error.message.length).toBeLessThan(700);
    expect((await failureOf(`process.exit(1)`)).message).toMatch(/exit code 1, and printed no reason on stderr$/);
  });

  test("fails if a signal ends the program", async () => {
    const error = await failureOf(`process.kill(process.pid, "SIGTERM"); setInterval(() => {}, 1000)`);
    expect(error.message).toMatch(/was ended by SIGTERM/);
    expect(error.exitCode).toBeUndefined();
  });

  test("fails if there is no such program, or no such folder", async () => {
    const none = trackerProgram({ command: ["./none"], cwd: folder(), environment });
    await expect(none.ask("snapshot")).rejects.toThrow(
      /^the tracker program "none" did not start: there is no program \.\/none$/,
    );
    const nowhere = trackerProgram({ command: [process.execPath], cwd: join(folder(), "none"), environment });
    await expect(nowhere.ask("snapshot")).rejects.toThrow(/did not start: the working folder .* does not exist/);
    await expect(trackerProgram({ command: [""], cwd: folder(), environment }).ask("taken")).rejects.toThrow(/did not start/);
  });

  test("ends the program when its time is over", async () => {
    const error = await failureOf(
      `print({ pid: process.pid }); process.stderr.write("waiting\\n"); setInterval(() => {}, 1000)`,
      500,
    );
    expect(error.message).toMatch(/took longer than 0\.5 s and was ended/);
  });

  test("ends a program that prints without end, and keeps no more than it may", async () => {
    const before = process.memoryUsage().rss;
    const error = await failureOf(
      `const chunk = "x".repeat(65536); for (;;) await new Promise((go) => process.stdout.write(chunk, go))`,
    );
    expect(error.message).toMatch(/printed more than 64 MiB and was ended/);
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 * 1024);
  });

  test("fails if the answer is no UTF-8", async () => {
    expect((await failureOf(`process.stdout.write(Buffer.from([0xff, 0xfe, 0x0a]))`)).message).toMatch(
      /bytes that are not UTF-8/,
    );
  });

  test("ends what the program leaves behind, and does not wait for it", async () => {
    const script = `const left = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" });
      left.unref(); print(left.pid); process.exit(0)`;
    const pid = Number(await aProgram(folder(), script).ask("snapshot"));
    await expect.poll(() => isAtWork(pid)).toBe(false);
  });

  test("does not wait for a process that left the program's group and holds its output", async () => {
    const script = `const left = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit", detached: true });
      left.unref(); print(left.pid); process.exit(0)`;
    const pid = Number(await aProgram(folder(), script).ask("snapshot"));
    process.kill(pid, "SIGKILL");
  });
});
