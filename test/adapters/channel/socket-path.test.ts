import { chmodSync, chownSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { LONGEST_SOCKET_PATH, socketPathFor } from "../../../src/adapters/channel/socket-path.ts";
import { engine, tempFolder, watch } from "./serving.ts";

/** A run folder whose socket would have a path of `bytes` bytes. */
function runFolder(bytes: number): string {
  const base = tempFolder();
  const folder = join(base, "r".repeat(bytes - Buffer.byteLength(join(base, "/engine.sock")) - 1));
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

const LONG = `/${"long/".repeat(30)}run`;

describe("socketPathFor", () => {
  test("stays in the run's folder to the last byte", async () => {
    const folder = runFolder(LONGEST_SOCKET_PATH);
    const socketPath = socketPathFor(folder);
    expect(Buffer.byteLength(socketPath)).toBe(LONGEST_SOCKET_PATH);
    expect(dirname(socketPath)).toBe(folder);
    const { pass } = await engine({ socketPath });
    const client = await watch(socketPath);
    pass();
    await vi.waitFor(() => expect(client.at()).toBe(1));
  });

  test("counts bytes, not letters", () => {
    ownTmp();
    expect(dirname(socketPathFor(`/${"é".repeat(50)}`))).toBe(privateFolder());
  });

  test("one byte further is in this user's own folder, the same each time, and can be used", async () => {
    const folder = runFolder(LONGEST_SOCKET_PATH + 1);
    ownTmp();
    const socketPath = socketPathFor(folder);
    expect(dirname(socketPath)).toBe(privateFolder());
    expect(statSync(privateFolder()).mode & 0o777).toBe(0o700);
    expect(socketPathFor(folder)).toBe(socketPath);
    expect(socketPathFor(`${folder}x`)).not.toBe(socketPath);
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
    expect(() => socketPathFor(LONG)).toThrow(expect.objectContaining({ name: "UserError", exitCode: 4, why }));
  });

  test("refuses another user's folder there", (context) => {
    if (userInfo().uid !== 0) context.skip("only root can give a folder away");
    ownTmp();
    mkdirSync(privateFolder(), { mode: 0o700 });
    chownSync(privateFolder(), 65_534, 65_534);
    expect(() => socketPathFor(LONG)).toThrow(expect.objectContaining({ exitCode: 4, why: "it belongs to another user" }));
  });

  test("refuses a temporary folder that is missing or itself too long", () => {
    const folder = ownTmp();
    vi.stubEnv("TMPDIR", join(folder, "missing"));
    expect(() => socketPathFor(LONG)).toThrow(expect.objectContaining({ name: "UserError", exitCode: 4 }));
    const deep = join(folder, "deep".repeat(20));
    mkdirSync(deep);
    vi.stubEnv("TMPDIR", deep);
    expect(() => socketPathFor(LONG)).toThrow("too long for a socket");
  });
});
