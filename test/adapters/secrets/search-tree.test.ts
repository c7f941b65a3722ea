import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createMasker } from "../../../src/adapters/secrets/masker.ts";
import { searchTree } from "../../../src/adapters/secrets/search-tree.ts";
import { scratchFolder } from "../../helpers/scratch.ts";

const folder = scratchFolder();
const TOKEN = "models/Token+4711-of-nobody";

function search(names: readonly string[] = ["models"], at = folder()) {
  const masker = createMasker();
  masker.learn("models", TOKEN);
  masker.learn("other", "another-value-of-nobody");
  return searchTree(at, masker.searchFor(names));
}

it("counts files beyond 32 GiB in all as some that cannot be read, and reads none of them", async () => {
  const path = join(folder(), "holes");
  writeFileSync(path, "");
  truncateSync(path, 2 ** 43);
  expect(await search()).toEqual({ path, unreadable: "EFBIG" });
});

describe("the search of a tree for secrets", () => {
  const ways: Readonly<Record<string, (at: string) => void>> = {
    "in a file": (at) => writeFileSync(at, `machine x password ${TOKEN}\n`),
    "in base64": (at) => writeFileSync(at, Buffer.from(`user:${TOKEN}`).toString("base64")),
    "in wrapped base64": (at) =>
      writeFileSync(at, Buffer.from(`user:${TOKEN}`).toString("base64").replaceAll(/.{12}/g, "$&\r\n    ")),
    "in base64 that is wrapped across two pieces of a large file": (at) =>
      writeFileSync(at, "-".repeat(1024 * 1024 - 20) + Buffer.from(TOKEN).toString("base64").replaceAll(/.{9}/g, "$&\n  ")),
    "in a folder with a name that is not UTF-8": (at) => {
      const path = Buffer.concat([Buffer.from(at), Buffer.from([0xe9])]);
      mkdirSync(path);
      writeFileSync(Buffer.concat([path, Buffer.from("/file")]), TOKEN);
    },
    "in an address": (at) => writeFileSync(at, `url = https://x:${encodeURIComponent(TOKEN)}@host/`),
    "across two pieces of a large file": (at) => writeFileSync(at, "x".repeat(1024 * 1024 - 5) + TOKEN),
    "in the target of a link": (at) => symlinkSync(`/none/${TOKEN}`, at),
    "in the name of a folder": (at) => mkdirSync(join(at, encodeURIComponent(TOKEN)), { recursive: true }),
  };
  it.each(Object.entries(ways))("finds one %s", async (_, write) => {
    mkdirSync(join(folder(), "deep/er"), { recursive: true });
    writeFileSync(join(folder(), "deep/harmless"), "models/Token+4712\n");
    expect(await search()).toBeUndefined();
    const at = join(folder(), "deep/er/it");
    write(at);
    expect(await search()).toEqual({ path: expect.stringContaining(at) });
  });

  it("reads a folder with names that are not UTF-8", async () => {
    const path = Buffer.concat([Buffer.from(`${folder()}/caf`), Buffer.from([0xe9])]);
    mkdirSync(path);
    writeFileSync(Buffer.concat([path, Buffer.from("/file")]), "harmless");
    expect(await search()).toBeUndefined();
  });

  it("looks for the named ones alone, and follows no link", async () => {
    writeFileSync(join(folder(), "it"), TOKEN);
    mkdirSync(join(folder(), "place"));
    symlinkSync(join(folder(), "it"), join(folder(), "place/link"));
    expect(await search(["other"])).toBeUndefined();
    expect(await search(["models"], join(folder(), "place"))).toBeUndefined();
  });

  it("finds one that has the value of another secret", async () => {
    const masker = createMasker();
    masker.learn("first", TOKEN);
    masker.learn("second", TOKEN);
    writeFileSync(join(folder(), "it"), TOKEN);
    expect(await searchTree(folder(), masker.searchFor(["second"]))).toEqual({ path: join(folder(), "it") });
  });

  it("counts what it cannot read as found", async () => {
    const closed = join(folder(), "closed");
    writeFileSync(closed, TOKEN);
    chmodSync(closed, 0);
    // root reads it all the same.
    const unreadable = process.getuid?.() === 0 ? {} : { unreadable: "EACCES" };
    expect(await search()).toEqual({ path: closed, ...unreadable });
  });

  it("finds nothing in a folder that is not there", async () => {
    expect(await search(["models"], join(folder(), "none"))).toBeUndefined();
  });
});
