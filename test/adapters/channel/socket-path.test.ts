import { chmodSync, existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { newSocketPath, runSocketPath } from "../../../src/adapters/channel/socket-client.ts";
import { LONGEST_SOCKET_PATH } from "../../../src/adapters/private-tmp.ts";
import { engine, tempFolder, watch } from "./serving.ts";

/** A run folder whose socket would have a path of `bytes` bytes. */
function runFolder(bytes: number): string {
  const base = tempFolder();
  const folder = join(base, "r".repeat(bytes - Buffer.byteLength(join(base, "/engine-0123456789abcdef.sock")) - 1));
  mkdirSync(folder);
  return folder;
}

/** Makes the system's temporary folder a fresh one. */
function ownTmp(): string {
  const folder = tempFolder();
  vi.stubEnv("TMPDIR", folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  return folder;
}

/** The per-user folder. */
function privateFolder(): string {
  return join(tmpdir(), `loopdash-${userInfo().uid}`);
}

function folderWithMode(folder: string, mode: number): void {
  mkdirSync(folder);
  chmodSync(folder, mode);
}

/** A run folder whose path is too long for a socket. */
function longFolder(): string {
  return runFolder(LONGEST_SOCKET_PATH + 40);
}

describe("the path of the socket", () => {
  test("stays in the run's folder to the last byte", async () => {
    const folder = runFolder(LONGEST_SOCKET_PATH);
    const socketPath = newSocketPath(folder);
    expect(Buffer.byteLength(socketPath)).toBe(LONGEST_SOCKET_PATH);
    expect(dirname(socketPath)).toBe(folder);
    const { pass } = await engine({ socketPath });
    const client = await watch(socketPath);
    pass();
    await vi.waitFor(() => expect(client.at()).toBe(1));
  });

  test("is another one for each engine, known to those who may read the run's folder; what is left of the last one goes", () => {
    const folder = runFolder(LONGEST_SOCKET_PATH);
    const first = newSocketPath(folder);
    writeFileSync(first, "");
    const second = newSocketPath(folder);
    expect(second).not.toBe(first);
    expect(second).toMatch(/engine-[0-9a-f]{16}\.sock$/);
    expect(runSocketPath(folder)).toBe(second);
    expect(existsSync(first)).toBe(false);
    expect(statSync(join(folder, "engine.door")).mode & 0o777).toBe(0o600);
  });

  test("counts bytes, not letters", () => {
    ownTmp();
    const folder = join(tempFolder(), "é".repeat(40));
    mkdirSync(folder);
    expect(dirname(newSocketPath(folder))).toBe(privateFolder());
  });

  test("one byte further is in this user's own folder, the same each time, and can be used", async () => {
    const folder = runFolder(LONGEST_SOCKET_PATH + 1);
    ownTmp();
    const socketPath = newSocketPath(folder);
    expect(dirname(socketPath)).toBe(privateFolder());
    expect(statSync(privateFolder()).mode & 0o777).toBe(0o700);
    expect(runSocketPath(folder)).toBe(socketPath);
    const { pass } = await engine({ socketPath });
    const client = await watch(socketPath);
    pass();
    await vi.waitFor(() => expect(client.at()).toBe(1));
  });

  test.for([
    ["others may enter", (place: string) => folderWithMode(place, 0o755), "other users have rights in it"],
    ["others may write", (place: string) => folderWithMode(place, 0o770), "other users have rights in it"],
    ["is a link", (place: string) => symlinkSync(tempFolder(), place), "it is not a folder"],
    ["is a file", (place: string) => writeFileSync(place, ""), "it is not a folder"],
  ] as const)("refuses a folder there that %s", ([, spoil, why]) => {
    ownTmp();
    spoil(privateFolder());
    expect(() => newSocketPath(longFolder())).toThrow(expect.objectContaining({ name: "UserError", exitCode: 4, why }));
  });

  test("refuses another user's folder there", () => {
    // Only root could give a folder away, so it is the process that says it is another user's.
    const other = userInfo().uid + 1;
    mkdirSync(join(ownTmp(), `loopdash-${other}`), { mode: 0o700 });
    vi.spyOn(process, "getuid").mockReturnValue(other);
    onTestFinished(() => void vi.restoreAllMocks());
    expect(() => newSocketPath(longFolder())).toThrow(
      expect.objectContaining({ exitCode: 4, why: "it belongs to another user" }),
    );
  });

  test("refuses a temporary folder that is missing or itself too long", () => {
    const run = longFolder();
    const folder = ownTmp();
    vi.stubEnv("TMPDIR", join(folder, "missing"));
    expect(() => newSocketPath(run)).toThrow(expect.objectContaining({ name: "UserError", exitCode: 4 }));
    const deep = join(folder, "deep".repeat(20));
    mkdirSync(deep);
    vi.stubEnv("TMPDIR", deep);
    expect(() => newSocketPath(run)).toThrow("too long for a socket");
  });
});
