import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { connectChannel } from "../../../src/adapters/channel/socket-client.ts";
import { openChannel } from "../../../src/adapters/channel/socket-server.ts";
import { UserError } from "../../../src/domain/values/user-error.ts";
import { engine, eventAt, rawConnection, stateAt, tempFolder, turn, type Watcher, watch } from "./serving.ts";

const PATIENT = { timeout: 60_000, interval: 5 };

/** Waits until the client knows everything up to `seq`. */
async function reaches(client: Watcher, seq: number): Promise<void> {
  await vi.waitFor(() => expect(client.at()).toBe(seq), PATIENT);
}

/** The places that a client was told of, beginning with its snapshot's. */
function places(client: Watcher): number[] {
  return client.messages.map((message) => (message.kind === "snapshot" ? message.state.seq : message.event.seq));
}

function from(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

describe("a client", () => {
  test("gets a snapshot, then every event after it, also in a burst of 10,000", async () => {
    const { socketPath, pass } = await engine();
    const early = await watch(socketPath);
    await reaches(early, 0);
    for (let i = 0; i < 10_000; i++) pass();
    await reaches(early, 10_000);
    expect(early.messages[0]?.kind).toBe("snapshot");
    expect(places(early)).toEqual(from(0, 10_000));
  });

  test("that comes in the middle of things has no gap and nothing twice", async () => {
    const { socketPath, pass } = await engine();
    const clients: Watcher[] = [];
    for (let i = 0; i < 10; i++) {
      const coming = watch(socketPath);
      for (let j = 0; j < 200; j++) {
        pass();
        if (j % 20 === 0) await turn();
      }
      clients.push(await coming);
    }
    for (const client of clients) await reaches(client, 2_000);
    for (const client of clients) expect(places(client)).toEqual(from(places(client)[0] ?? -1, 2_000));
    expect(new Set(clients.map((client) => places(client)[0])).size).toBeGreaterThan(5);
  });

  test("gets what is still gathered for it when the engine ends", async () => {
    const { socketPath, pass, channel } = await engine();
    const client = await watch(socketPath);
    await reaches(client, 0);
    for (let i = 0; i < 3; i++) pass();
    await channel.close();
    await reaches(client, 3);
    expect(places(client)).toEqual(from(0, 3));
  });

  test("is not told again what its snapshot holds", async () => {
    const { socketPath, channel } = await engine({ snapshot: () => ({ kind: "snapshot", state: stateAt(2), recent: [] }) });
    const client = await watch(socketPath);
    await reaches(client, 2);
    for (const seq of [1, 2, 3]) channel.publish(eventAt(seq));
    await reaches(client, 3);
    expect(places(client)).toEqual([2, 3]);
  });

  test("that would get a picture with a hole is dropped", async () => {
    const { socketPath, channel, problems } = await engine();
    const client = await watch(socketPath);
    await reaches(client, 0);
    channel.publish(eventAt(2));
    await vi.waitFor(() => expect(client.reasons).toHaveLength(1), PATIENT);
    expect(places(client)).toEqual([0]);
    expect(problems).toEqual(["a client was dropped: it would miss events 1 to 1"]);
  });

  test("gets a new snapshot when the host is replaced, and the events that follow it", async () => {
    const { socketPath, pass, channel } = await engine();
    const early = await watch(socketPath);
    await reaches(early, 0);
    pass();
    pass();
    await reaches(early, 2);
    const told: string[] = [];
    channel.serve({
      snapshot: () => ({ kind: "snapshot", state: stateAt(1), recent: [] }),
      command: ({ type }) => void told.push(type),
    });
    // The new snapshot holds it.
    channel.publish(eventAt(1));
    await reaches(early, 1);
    const late = await watch(socketPath);
    await reaches(late, 1);
    channel.publish(eventAt(2));
    await reaches(early, 2);
    expect(places(early)).toEqual([0, 1, 2, 1, 2]);
    expect(places(late)).toEqual([1, 2]);
    early.send({ type: "stop" });
    await vi.waitFor(() => expect(told).toEqual(["stop"]));
  });

  test("may leave without a trace", async () => {
    const { socketPath, pass, problems } = await engine();
    const [leaver, stayer] = [await watch(socketPath), await watch(socketPath)];
    await reaches(leaver, 0);
    leaver.close();
    for (let i = 1; i <= 100; i++) {
      pass();
      await turn();
    }
    await reaches(stayer, 100);
    expect(leaver.reasons).toEqual([]);
    expect(problems).toEqual([]);
  });

  test("that never reads is dropped while the other gets everything", async () => {
    const { socketPath, pass, problems } = await engine();
    const stuck = await rawConnection(socketPath);
    stuck.pause();
    const client = await watch(socketPath);
    const text = "x".repeat(2_000);
    for (let i = 1; i <= 10_000; i++) {
      pass(text);
      // Both are in this process: the one that reads must get its turns.
      if (i % 500 === 0) await reaches(client, i);
    }
    expect(problems).toEqual(["a client was dropped: it does not keep up"]);
    expect(places(client)).toEqual(from(0, 10_000));
  });

  test("that stops reading after a large snapshot has no more room than others", async () => {
    const { socketPath, pass, problems } = await engine({ padding: 20_000_000 });
    const stuck = await rawConnection(socketPath);
    for await (const chunk of stuck.iterator({ destroyOnReturn: false })) if (chunk.includes("\n")) break;
    stuck.pause();
    for (let i = 0; i < 12_000; i++) {
      pass("x".repeat(1_000));
      if (i % 20 === 0) await turn();
    }
    expect(problems).toEqual(["a client was dropped: it does not keep up"]);
  });

  test("gets a snapshot of 50 MB while it is changing", async () => {
    const { socketPath, pass, problems } = await engine({ padding: 50_000_000 });
    const client = await watch(socketPath);
    for (let i = 0; i < 500; i++) {
      pass("y".repeat(1_000));
      await turn();
    }
    await reaches(client, 500);
    const [snapshot] = client.messages;
    if (snapshot?.kind !== "snapshot") throw new Error("no snapshot");
    expect(snapshot.state.batchPath).toHaveLength(50_000_000);
    const first = snapshot.state.seq;
    expect(places(client)).toEqual(from(first, 500));
    expect(problems).toEqual([]);
  });

  test("is refused where no engine listens", async () => {
    const socketPath = join(tempFolder(), "engine.sock");
    const never = { onMessage: () => undefined, onClose: () => undefined };
    await expect(connectChannel({ socketPath, ...never })).rejects.toThrow(UserError);
    writeFileSync(socketPath, "");
    await expect(connectChannel({ socketPath, ...never })).rejects.toThrow("cannot reach the run's engine");
  });
});

describe("the engine's side", () => {
  test("has a socket for this user only, and removes it at the end", async () => {
    const { socketPath, channel } = await engine();
    expect(statSync(socketPath).mode & 0o777).toBe(0o600);
    await channel.close();
    expect(existsSync(socketPath)).toBe(false);
  });

  test("sends what is queued before it closes", async () => {
    const { socketPath, channel, pass } = await engine({ padding: 5_000_000 });
    const client = await watch(socketPath);
    await turn();
    await reaches(client, 0);
    for (let i = 0; i < 1_000; i++) pass("z".repeat(1_000));
    await Promise.all([channel.close(), channel.close()]);
    await vi.waitFor(() => expect(client.reasons).toEqual(["the engine closed the connection"]), PATIENT);
    expect(places(client)).toEqual(from(0, 1_000));
    channel.publish(eventAt(1_001));
  });

  test("does not wait long for a client that never reads", async () => {
    const { socketPath, channel } = await engine({ padding: 5_000_000 });
    const stuck = await rawConnection(socketPath);
    stuck.pause();
    const client = await watch(socketPath);
    await reaches(client, 0);
    const began = performance.now();
    await channel.close();
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  test("outlives a snapshot or a command that fails", async () => {
    let fails = true;
    const fail = (what: string) => {
      if (fails) throw new Error(`${what} is broken`);
    };
    const { socketPath, problems } = await engine({
      snapshot: () => {
        fail("snapshot");
        return { kind: "snapshot", state: stateAt(0), recent: [] };
      },
      command: () => fail("command"),
    });
    const early = await watch(socketPath);
    await vi.waitFor(() => expect(early.reasons).toHaveLength(1), PATIENT);
    fails = false;
    const client = await watch(socketPath);
    await reaches(client, 0);
    fails = true;
    client.send({ type: "pause" });
    const expected = ["a client got no snapshot: snapshot is broken", "the command pause failed: command is broken"];
    await vi.waitFor(() => expect(problems).toEqual(expected), PATIENT);
    expect(client.reasons).toEqual([]);
  });

  test("outlives clients that vanish in the middle of a write", async () => {
    const { socketPath, pass } = await engine({ padding: 5_000_000 });
    for (let i = 0; i < 10; i++) {
      const socket = await rawConnection(socketPath);
      pass("x".repeat(100_000));
      socket.destroy();
      pass("x".repeat(100_000));
      await turn();
    }
    const client = await watch(socketPath);
    await reaches(client, 20);
  });

  test("replaces the socket of an engine that was killed, whose clients are told once", async () => {
    const socketPath = join(tempFolder(), "engine.sock");
    const child = spawn(process.execPath, [join(import.meta.dirname, "engine.child.ts"), socketPath], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child.stdout, "data");
    const client = await watch(socketPath);
    await reaches(client, 0);
    child.kill("SIGKILL");
    await once(child, "exit");
    await vi.waitFor(() => expect(client.reasons).toHaveLength(1), PATIENT);
    client.send({ type: "pause" });
    await turn();
    expect(client.reasons).toHaveLength(1);
    expect(existsSync(socketPath)).toBe(true);
    await engine({ socketPath });
    await reaches(await watch(socketPath), 0);
  });

  test("replaces nothing that is not a socket", async () => {
    const socketPath = join(tempFolder(), "engine.sock");
    writeFileSync(socketPath, "mine");
    const host = { snapshot: () => ({ kind: "snapshot" as const, state: stateAt(0), recent: [] }), command: () => undefined };
    await expect(openChannel({ socketPath, host })).rejects.toMatchObject({ name: "UserError", exitCode: 4 });
    expect(statSync(socketPath).isFile()).toBe(true);
    await expect(openChannel({ socketPath: join(socketPath, "x"), host })).rejects.toMatchObject({
      name: "UserError",
      exitCode: 4,
    });
    await expect(openChannel({ socketPath: "/proc/x.sock", host })).rejects.toMatchObject({ name: "UserError", exitCode: 4 });
  });
});
