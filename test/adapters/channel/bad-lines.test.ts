import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { engine, rawConnection, tempFolder, turn, type Watcher, watch } from "./serving.ts";

const PATIENT = { timeout: 60_000, interval: 5 };

describe("commands", () => {
  test("arrive in order and checked", async () => {
    const { socketPath, commands } = await engine();
    const client = await watch(socketPath);
    client.send({ type: "pause" });
    client.send({ type: "unpause" });
    await vi.waitFor(() => expect(commands).toEqual([{ type: "pause" }, { type: "unpause" }]), PATIENT);
  });

  test("sent just before leaving arrive", async () => {
    const { socketPath, commands } = await engine();
    const client = await watch(socketPath);
    client.send({ type: "stop" });
    client.close();
    client.send({ type: "pause" });
    await vi.waitFor(() => expect(commands).toEqual([{ type: "stop" }]), PATIENT);
  });

  const PAUSE = '{"kind":"command","command":{"type":"pause"}}\n';
  test.for([
    ["no JSON", "garbage\n"],
    ["an empty line", "\n"],
    ["bytes that are no text", Buffer.from([0xff, 0xfe, 0x00, 0x0a])],
    ["another kind", '{"kind":"event"}\n'],
    ["an unknown command", '{"kind":"command","command":{"type":"merge"}}\n'],
    ["a key too many", '{"kind":"command","command":{"type":"pause","force":true}}\n'],
    ["null", "null\n"],
    ["a line of 65 KB", `${PAUSE.slice(0, -1)}${" ".repeat(65 * 1024)}\n`],
    ["a line without an end", " ".repeat(65 * 1024)],
  ] as const)("of which one is %s close that connection only", async ([, bytes]) => {
    const { socketPath, commands, pass, problems } = await engine();
    const client = await watch(socketPath);
    const bad = await rawConnection(socketPath);
    bad.resume();
    bad.write(PAUSE);
    bad.write(bytes);
    bad.write(PAUSE);
    await once(bad, "close");
    await vi.waitFor(() => expect(problems).toContain("a client was dropped: it sent a line that is not a command"), PATIENT);
    pass();
    await vi.waitFor(() => expect(client.at()).toBe(1), PATIENT);
    client.send({ type: "judge" });
    await vi.waitFor(() => expect(commands).toEqual([{ type: "pause" }, { type: "judge" }]), PATIENT);
    expect(client.reasons).toEqual([]);
  });

  test("cut anywhere, even inside a letter, arrive whole", async () => {
    const { socketPath, commands } = await engine();
    const socket = await rawConnection(socketPath);
    socket.resume();
    socket.setNoDelay(true);
    const step = "schlüssel 🔑 übergeben";
    const message = { kind: "command", command: { type: "gate", ticket: "T-1", step } };
    for (const byte of Buffer.from(`${JSON.stringify(message)}\n`)) {
      socket.write(Buffer.from([byte]));
      await turn();
    }
    await vi.waitFor(() => expect(commands).toEqual([message.command]), PATIENT);
  });
});

describe("an engine that talks nonsense", () => {
  async function nonsense(bytes: string): Promise<Watcher> {
    const socketPath = join(tempFolder(), "engine.sock");
    const server = createServer((socket) => {
      socket.on("error", () => socket.destroy());
      socket.write(bytes);
    });
    onTestFinished(() => void server.close());
    server.listen(socketPath);
    await once(server, "listening");
    const client = await watch(socketPath);
    await vi.waitFor(() => expect(client.reasons).toHaveLength(1), PATIENT);
    return client;
  }

  const SNAPSHOT = '{"kind":"snapshot","state":{"seq":1},"recent":[]}\n';
  const EVENT = '{"kind":"event","event":{"seq":2}}\n';
  test.for([
    ["is left", "hello\n", 0],
    ["with an event first is left", `${EVENT}${SNAPSHOT}`, 0],
    ["with an unknown kind is left", `${SNAPSHOT}{"kind":"bye"}\n${EVENT}`, 1],
    ["with null is left", `null\n${SNAPSHOT}`, 0],
  ] as const)("%s", async ([, bytes, told]) => {
    const client = await nonsense(bytes);
    expect(client.messages).toHaveLength(told);
    expect(client.reasons[0]).toContain("cannot read");
  });
});
