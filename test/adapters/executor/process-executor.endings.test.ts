import { execFile } from "node:child_process";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { createExecutor } from "../../../src/adapters/executor/process-executor.ts";
import { isAlive, processId } from "../../../src/adapters/executor/process-id.ts";
import type { ProcessId } from "../../../src/ports/executor.ts";
import { program, requestOf, useFolder } from "./support.ts";

const folder = useFolder();
const stubborn = program("ignore-term.sh");

describe("how a program ends", () => {
  it("exits by itself: code, tail, duration, and onStart once with who it is", async () => {
    const starts: [ProcessId, boolean][] = [];
    const result = await createExecutor().run(
      requestOf({
        argv: ["/bin/sh", "-c", "echo out; echo err >&2; exit 7"],
        onStart: (id) => starts.push([id, processId(id.pid)?.startTime === id.startTime]),
      }),
    );
    expect(result).toMatchObject({ ending: "exited", exitCode: 7, signal: null });
    expect(result.tail.split("\n").sort()).toEqual(["", "err", "out"]);
    expect(result.durationMs).toBeGreaterThan(0);
    expect(starts).toEqual([[{ pid: expect.any(Number), startTime: expect.stringMatching(/^\d+$/) }, true]]);
  });

  it("is killed by somebody else: exited, with the signal", async () => {
    const result = await createExecutor().run(requestOf({ argv: ["/bin/sh", "-c", "kill -9 $$"] }));
    expect(result).toMatchObject({ ending: "exited", exitCode: null, signal: "SIGKILL" });
  });

  it("out of time: SIGTERM lets it say goodbye", async () => {
    const script = "trap 'echo bye; exit 0' TERM; echo READY; while :; do sleep 1000 & wait $!; done";
    const result = await createExecutor().run(requestOf({ argv: ["/bin/sh", "-c", script], timeoutMs: 1_000 }));
    expect(result).toMatchObject({
      ending: "out-of-time",
      exitCode: 0,
      signal: null,
      tail: expect.stringMatching(/^READY\n[^]*bye\n$/),
    });
  });

  it("out of time and deaf to SIGTERM: dies all the same", async () => {
    const result = await createExecutor().run(requestOf({ argv: [stubborn], timeoutMs: 200 }));
    expect(result).toMatchObject({ ending: "out-of-time", exitCode: null, signal: "SIGKILL" });
  });

  it("silent: output on either stream counts, none ends it", async () => {
    // Each line comes well within the silence allowed, all of them together do not; then nothing comes any more.
    const script = "for i in 1 2 3 4 5 6; do echo $i; sleep 0.1; echo $i >&2; sleep 0.1; done; exec sleep 1000";
    const result = await createExecutor().run(requestOf({ argv: ["/bin/sh", "-c", script], silenceMs: 700 }));
    expect(result).toMatchObject({ ending: "silent", signal: "SIGTERM" });
    expect(result.tail).toBe("1\n1\n2\n2\n3\n3\n4\n4\n5\n5\n6\n6\n");
    expect(result.durationMs).toBeGreaterThan(1_800);
  });

  it("aborted", async () => {
    const controller = new AbortController();
    const result = await createExecutor().run(
      requestOf({
        argv: ["/bin/sh", "-c", "echo READY; exec sleep 1000"],
        signal: controller.signal,
        onLine: () => controller.abort(),
      }),
    );
    expect(result).toMatchObject({ ending: "aborted", signal: "SIGTERM" });
  });

  it("aborted before it began: never started, no log", async () => {
    const result = await createExecutor().run(
      requestOf({ argv: ["/bin/sh", "-c", "touch started"], signal: AbortSignal.abort() }),
    );
    expect(result).toMatchObject({ ending: "aborted", exitCode: null, signal: null, tail: "" });
    expect(existsSync(join(folder(), "started"))).toBe(false);
    expect(existsSync(join(folder(), "log"))).toBe(false);
  });
});

describe("the first cause wins", () => {
  it("an abort, though time runs out before the program is dead", async () => {
    const controller = new AbortController();
    const result = await createExecutor().run(
      requestOf({ argv: [stubborn], signal: controller.signal, timeoutMs: 1_000, onLine: () => controller.abort() }),
    );
    expect(result).toMatchObject({ ending: "aborted", signal: "SIGKILL" });
    expect(result.durationMs).toBeGreaterThan(1_500);
  });

  it("silence, though an abort follows", async () => {
    const controller = new AbortController();
    const onLine = (line: string) => (line === "TERM" ? controller.abort() : undefined);
    const result = await createExecutor().run(
      requestOf({ argv: [stubborn, "loudly"], signal: controller.signal, silenceMs: 300, onLine }),
    );
    expect(controller.signal.aborted).toBe(true);
    expect(result).toMatchObject({ ending: "silent", signal: "SIGKILL" });
  });
});

describe("what does not start is a result in words", () => {
  const failing = async (options: Parameters<typeof requestOf>[0]) => {
    const result = await createExecutor().run(requestOf(options));
    expect(result).toMatchObject({ ending: "failed-to-start", exitCode: null, signal: null, tail: "" });
    return result.message;
  };

  it("an unknown program", async () => {
    expect(await failing({ argv: ["no-such-program"] })).toBe("there is no program no-such-program on the PATH");
    expect(await failing({ argv: ["./no-such-program"] })).toBe("there is no program ./no-such-program");
    expect(await failing({ argv: [] })).toBe("there is no program to run");
  });

  it("a file that may not be executed, and one without its interpreter", async () => {
    const file = join(folder(), "plain.sh");
    writeFileSync(file, "#!/no/such/interpreter\n", { mode: 0o644 });
    expect(await failing({ argv: [file] })).toBe(`${file} is there but may not be executed (chmod +x)`);
    chmodSync(file, 0o755);
    expect(await failing({ argv: [file] })).toBe(`${file} names an interpreter (its #! line) that does not exist`);
  });

  it("a working folder that is missing or no folder", async () => {
    const file = join(folder(), "file");
    writeFileSync(file, "");
    expect(await failing({ argv: ["/bin/true"], cwd: "/no/such/folder" })).toBe(
      "the working folder /no/such/folder does not exist",
    );
    expect(await failing({ argv: ["/bin/true"], cwd: file })).toBe(`the working folder ${file} is not a folder`);
  });

  it("arguments no system takes", async () => {
    expect(await failing({ argv: ["/bin/true", "a\0b"] })).toContain("/bin/true could not be started");
    expect(await failing({ argv: ["/bin/true", "x".repeat(5_000_000)] })).toBe(
      "its arguments and environment are too long for the system",
    );
  });

  it("a marker that a running program has", async () => {
    const executor = createExecutor();
    const controller = new AbortController();
    const request = requestOf({ argv: ["/bin/sh", "-c", "echo READY; exec sleep 1000"], signal: controller.signal });
    const [first] = await Promise.all([
      executor.run({
        ...request,
        onLine: () => {
          void executor.run({ ...request, argv: ["/bin/true"] }).then((second) => {
            expect(second).toMatchObject({ ending: "failed-to-start", message: expect.stringContaining(request.marker) });
            controller.abort();
          });
        },
      }),
    ]);
    expect(first.ending).toBe("aborted");
    expect((await executor.run({ ...request, argv: ["/bin/true"], signal: new AbortController().signal })).exitCode).toBe(0);
  });
});

describe("the engine's own side", () => {
  it("what a callback throws ends the program and comes out of run", async () => {
    let main: ProcessId | undefined;
    const request = requestOf({
      argv: [program("leave-behind.sh"), "setsid", folder(), "stay"],
      onStart: (id) => void (main = id),
    });
    const run = createExecutor().run({
      ...request,
      onLine: () => {
        throw new Error("a defect of the caller");
      },
    });
    await expect(run).rejects.toThrow("a defect of the caller");
    expect(main && isAlive(main)).toBe(false);
  });

  it("limits that are far away do not keep it running", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [program("run-and-leave.mjs"), folder()], { timeout: 15_000 });
    expect(stdout).toBe("exited\n");
  });
});
