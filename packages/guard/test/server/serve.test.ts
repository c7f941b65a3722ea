import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { Duplex } from "node:stream";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Caller } from "../../src/program/caller.ts";
import { answerQuestion, guardServer, type RunGuard } from "../../src/server/serve.ts";
import { scratchFolder } from "../scratch.ts";

const folder = scratchFolder();

const question = (head: readonly string[], payload = ""): Buffer => {
  const text = Buffer.from(head.join("\0"));
  return Buffer.concat([Buffer.from(`${text.length}\n`), text, Buffer.from(payload)]);
};
const HOOK = ["/work", "/home/dev", "", "hook", "before-tool", "--agent", "claude"];
const allow: RunGuard = () => 0;

/** Serves `runGuard`, asks it, and gives all of its answer. */
async function asked(runGuard: RunGuard, ...parts: readonly (string | Buffer)[]): Promise<string> {
  const path = join(folder(), "socket");
  const server = guardServer(runGuard);
  server.listen(path);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const connection = connect({ path, allowHalfOpen: true });
  let answer = "";
  connection.on("data", (chunk: Buffer) => (answer += chunk.toString()));
  // It may be cut while it still writes.
  connection.on("error", () => undefined);
  for (const part of parts) connection.write(part);
  connection.end();
  await new Promise((settle) => connection.on("close", settle));
  return answer;
}

describe("a guard server", () => {
  test("answers with the exit code and both outputs, whatever characters they have", async () => {
    const answer = await asked((_, { print }) => {
      print(1, "ü\n");
      print(2, "why\n");
      return 2;
    }, question(HOOK));
    expect(answer).toBe("2 3 4\nü\nwhy\n");
  });

  test("judges in the folder and with the variables of its client, and not with its own", async () => {
    let seen: unknown;
    await asked(
      async (args, { input, print: _, ...caller }: Caller) => {
        seen = { args, ...caller, input: await input() };
        return 0;
      },
      question(HOOK, "the payload"),
    );
    const expected = { cwd: "/work", env: { HOME: "/home/dev" }, args: HOOK.slice(3), input: "the payload" };
    expect(seen).toEqual(expected);
  });

  test("takes a question in parts", async () => {
    const whole = question(HOOK, "x");
    expect(await asked(allow, whole.subarray(0, 5), whole.subarray(5))).toBe("0 0 0\n");
  });

  test.each<[string, RunGuard, Buffer]>([
    ["its guard throws", () => Promise.reject(new Error("broken")), question(HOOK)],
    [
      "its guard throws at once",
      () => {
        throw new RangeError("stack");
      },
      question(HOOK),
    ],
    ["its guard cannot take the arguments", () => undefined, question(HOOK)],
    ["a head is cut", allow, question(HOOK).subarray(0, 9)],
    ["a head has no length", allow, Buffer.from("hook\0before-tool")],
    ["a length is none", allow, Buffer.from("-1\nx")],
    ["a folder is relative", allow, question(["work", ...HOOK.slice(1)])],
    ["a stop asks for programs to be started", allow, question([...HOOK.slice(0, 4), "stop", "--agent", "claude"])],
    ["a check would read its stdin", allow, question([...HOOK.slice(0, 3), "guard", "check", "--"])],
    ["another verb is asked for", allow, question([...HOOK.slice(0, 3), "run", "batch.json"])],
    ["a question is longer than a client sends", allow, question(HOOK, "x".repeat(3 * 2 ** 20))],
  ])("gives no answer if %s, so that the client starts Node", async (_, runGuard, bytes) => {
    expect(await asked(runGuard, bytes)).toBe("");
  });
});

/** A connection whose bytes come as this test pushes them: a real socket joins what comes at a time. */
const aConnection = (): Duplex => new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });

describe("a question that comes byte by byte", () => {
  test("is hung up on after ten seconds, however often a byte comes", () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const connection = aConnection();
    answerQuestion(connection as Socket, allow);
    const left: boolean[] = [];
    for (let second = 1; second <= 11; second++) {
      connection.emit("data", Buffer.from("1"));
      vi.advanceTimersByTime(1_000);
      left.push(!connection.destroyed);
    }
    expect(left).toEqual([...Array(9).fill(true), false, false]);
  });

  test("takes no more memory than one that comes at once", () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const used = (): number => {
      collect();
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      return heapUsed + arrayBuffers;
    };
    const connection = aConnection();
    onTestFinished(() => void connection.destroy());
    answerQuestion(connection as Socket, allow);
    const before = used();
    for (let n = 0; n < 200_000; n++) connection.emit("data", Buffer.from("1"));
    expect(used() - before).toBeLessThan(4_000_000);
  });
});
