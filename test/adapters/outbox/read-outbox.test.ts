import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { createOutbox } from "../../../src/adapters/outbox/read-outbox.ts";
import { scratchFolder } from "../../helpers/scratch.ts";

const scratch = scratchFolder();
const BLOCKER = JSON.stringify({
  claim: "c",
  wall: "w",
  evidence: [{ command: ["false"], exitCode: 1, output: "" }],
  tried: "t",
  humanStep: "Log in",
});
/** As systems number the user who owns nothing. */
const NOBODY = 65_534;
const NONE = { discoveries: [], refused: [] };
let attempt = "";
let outbox = "";

beforeEach(() => {
  attempt = join(scratch(), "tickets", "attempt-1");
  outbox = join(attempt, "outbox");
  mkdirSync(outbox, { recursive: true });
});

/** Does something without the right to read everything, which root has. */
async function asNobody<T>(act: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return act();
  for (let folder = outbox; folder.startsWith(scratch()); folder = dirname(folder)) chmodSync(folder, 0o755);
  process.seteuid?.(NOBODY);
  try {
    return await act();
  } finally {
    process.seteuid?.(0);
  }
}

const read = () => createOutbox().read(outbox);
const put = (name: string, text: string | Uint8Array) => {
  mkdirSync(join(outbox, name, ".."), { recursive: true });
  writeFileSync(join(outbox, name), text);
};
const discovery = (title: string) => JSON.stringify({ title, reason: "r" });
/** A secret outside the outbox, as JSON that would be read. */
const secret = (text = BLOCKER) => {
  const file = join(scratch(), "secret");
  writeFileSync(file, text);
  return file;
};

test("an empty outbox, and one that is gone, hold nothing", async () => {
  expect(await read()).toEqual(NONE);
  rmSync(outbox, { recursive: true });
  expect(await read()).toEqual(NONE);
});

test("what is well-formed is read: discoveries by name, a blocker, notes", async () => {
  put("discovered/b.json", discovery("B"));
  put("discovered/a.json", discovery("A"));
  put("blocker.json", BLOCKER);
  put("notes.md", "# what I saw\n");
  const { discoveries, blocker, notes, refused } = await read();
  expect(discoveries.map(({ title }) => title)).toEqual(["A", "B"]);
  expect(blocker?.humanStep).toBe("Log in");
  expect(notes).toBe("# what I saw\n");
  expect(refused).toEqual([]);
});

test("a file that cannot be read takes nothing else with it", async () => {
  put("discovered/a.json", "{");
  put("discovered/b.json", discovery("B"));
  put("discovered/c.txt", "x");
  put("blockers.json", BLOCKER);
  put("blocker.json", BLOCKER.replace('"w"', '""'));
  const { discoveries, blocker, refused } = await read();
  expect(discoveries.map(({ title }) => title)).toEqual(["B"]);
  expect(blocker).toBeUndefined();
  expect(refused).toEqual([
    { file: "blocker.json", why: expect.stringContaining("wall must not be empty") },
    { file: "discovered/a.json", why: expect.stringContaining("is not valid JSON") },
    { file: "discovered/c.txt", why: "only *.json is read here" },
    { file: "blockers.json", why: "nothing is read under this name; blocker.json, notes.md and discovered/*.json are" },
  ]);
});

describe("what an agent may put in the place of a file", () => {
  const told = async (make: (file: string) => void) => {
    make(join(outbox, "blocker.json"));
    const { blocker, refused } = await read();
    expect(blocker).toBeUndefined();
    return refused.map(({ file, why }) => `${file} ${why}`);
  };

  test("a link is not followed", async () => {
    expect(await told((file) => symlinkSync(secret(), file))).toEqual(["blocker.json is a link"]);
  });

  test("a second name of another file is not read", async () => {
    expect(await told((file) => linkSync(secret(), file))).toEqual(["blocker.json is a second name of another file"]);
  });

  test("a pipe is not waited for, a device is not read, a folder is none, a socket is none", async () => {
    expect(await told((file) => execFileSync("mkfifo", [file]))).toEqual(["blocker.json is not a plain file"]);
    rmSync(join(outbox, "blocker.json"));
    expect(await told((file) => symlinkSync("/dev/zero", file))).toEqual(["blocker.json is a link"]);
    rmSync(join(outbox, "blocker.json"));
    expect(await told((file) => mkdirSync(file))).toEqual(["blocker.json is not a plain file"]);
    rmSync(join(outbox, "blocker.json"), { recursive: true });
    const server = createServer().listen(join(outbox, "blocker.json"));
    expect((await read()).refused).toMatchObject([{ why: expect.stringMatching(/^cannot be read \(E/) }]);
    await new Promise((closed) => server.close(closed));
  });

  test("one that is too long, by what it says or by what it takes, is not read into memory", async () => {
    expect(await told((file) => writeFileSync(file, BLOCKER + " ".repeat(600_000)))).toEqual([
      "blocker.json is longer than 524288 bytes",
    ]);
    expect(await told((file) => truncateSync(file, 2 ** 40))).toEqual(["blocker.json is longer than 524288 bytes"]);
  });

  test("one that is no UTF-8 is told", async () => {
    expect(await told((file) => writeFileSync(file, Buffer.from([0x7b, 0xff, 0x7d])))).toEqual([
      "blocker.json is not UTF-8 text",
    ]);
  });

  test("one that may not be read is told", async () => {
    put("blocker.json", BLOCKER);
    chmodSync(join(outbox, "blocker.json"), 0);
    expect((await asNobody(read)).refused).toEqual([{ file: "blocker.json", why: "cannot be read (EACCES)" }]);
  });
});

describe("what an agent may put in the place of a folder", () => {
  const elsewhere = () => {
    const folder = join(scratch(), "elsewhere");
    mkdirSync(join(folder, "discovered"), { recursive: true });
    writeFileSync(join(folder, "blocker.json"), BLOCKER);
    writeFileSync(join(folder, "discovered/a.json"), discovery("A"));
    return folder;
  };

  test("a link for the outbox is not followed", async () => {
    rmSync(outbox, { recursive: true });
    symlinkSync(elsewhere(), outbox);
    expect(await read()).toEqual({ discoveries: [], refused: [{ file: "outbox", why: "is not a folder" }] });
  });

  test("nor one for the folder around it", async () => {
    const moved = join(scratch(), "moved");
    renameSync(attempt, moved);
    writeFileSync(join(moved, "outbox", "blocker.json"), BLOCKER);
    symlinkSync(moved, attempt);
    expect(existsSync(join(outbox, "blocker.json"))).toBe(true);
    expect(await read()).toEqual({ discoveries: [], refused: [{ file: "outbox", why: "is not a folder" }] });
  });

  test("nor one for the folder of discoveries, which may be a file as well", async () => {
    symlinkSync(join(elsewhere(), "discovered"), join(outbox, "discovered"));
    expect(await read()).toEqual({ discoveries: [], refused: [{ file: "discovered", why: "is not a folder" }] });
    rmSync(join(outbox, "discovered"));
    put("discovered", "x");
    expect(await read()).toEqual({ discoveries: [], refused: [{ file: "discovered", why: "is not a folder" }] });
  });
});

describe("what is too much", () => {
  test("of a thousand and more files, a bounded number is looked at, and the rest is told in one line", async () => {
    for (let n = 0; n < 1_200; n++) put(`discovered/${String(n).padStart(5, "0")}.json`, discovery(`D ${n}`));
    put("blocker.json", BLOCKER);
    const { discoveries, blocker, refused } = await read();
    expect(discoveries).toHaveLength(100);
    expect(blocker).toBeDefined();
    expect(refused).toEqual([{ file: "discovered", why: "only 100 files are read; many more are here" }]);
  });

  test("refused files are told twenty at a time", async () => {
    for (let n = 0; n < 30; n++) put(`discovered/${n}.json`, "{");
    const { refused } = await read();
    expect(refused).toHaveLength(21);
    expect(refused.at(-1)).toEqual({ file: "outbox", why: "10 more files could not be read" });
  });

  test("of long notes the beginning is kept", async () => {
    put("notes.md", "x".repeat(5_000));
    expect((await read()).notes).toBe(`${"x".repeat(4_000)}\n[… 1000 characters cut …]`);
    put("notes.md", "x".repeat(70_000));
    expect(await read()).toEqual({ discoveries: [], refused: [{ file: "notes.md", why: "is longer than 65536 bytes" }] });
  });
});

test("names are told as a terminal may show them, also one that is no text", async () => {
  put("\u001b[31mred\u202e", "x");
  mkdirSync(join(outbox, "discovered"));
  writeFileSync(
    Buffer.concat([Buffer.from(join(outbox, "discovered/")), Buffer.from([0xff]), Buffer.from(".json")]),
    discovery("A"),
  );
  expect((await read()).refused).toEqual([
    { file: "discovered/\ufffd.json", why: "is gone, or its name is not UTF-8" },
    { file: "red", why: expect.stringContaining("nothing is read under this name") },
  ]);
});
