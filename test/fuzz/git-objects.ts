import { createHash } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";
import { NEW } from "./files.ts";

type Kind = "blob" | "tree" | "commit" | "tag";

/** Objects of git, written by hand into a folder as any program can write them: also broken ones. */
export class ObjectFolder {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Writes a loose object. `header` and `id` are what it says and is called in place of the truth. */
  put(kind: Kind, content: Buffer, lie: { readonly size?: number; readonly id?: string } = {}): string {
    const whole = Buffer.concat([Buffer.from(`${kind} ${content.length}\0`), content]);
    const id = lie.id ?? createHash("sha1").update(whole).digest("hex");
    const told = lie.size === undefined ? whole : Buffer.concat([Buffer.from(`${kind} ${lie.size}\0`), content]);
    this.write(id, deflateSync(told));
    return id;
  }

  /** Writes bytes in the place of an object. */
  write(id: string, bytes: Buffer): void {
    mkdirSync(join(this.#folder, id.slice(0, 2)), { recursive: true });
    const file = join(this.#folder, id.slice(0, 2), id.slice(2));
    rmSync(file, { force: true });
    writeFileSync(file, bytes, NEW);
  }

  tree(entries: readonly { readonly mode: string; readonly name: string | Buffer; readonly id: string }[]): string {
    const lines = entries.map(({ mode, name, id }) =>
      Buffer.concat([
        Buffer.from(`${mode} `),
        typeof name === "string" ? Buffer.from(name) : name,
        Buffer.alloc(1),
        Buffer.from(id, "hex"),
      ]),
    );
    return this.put("tree", Buffer.concat(lines));
  }

  commit(tree: string, parents: readonly string[], more = ""): string {
    const who = "w <w@w.invalid> 1700000000 +0000";
    const above = parents.map((parent) => `parent ${parent}\n`).join("");
    return this.put("commit", Buffer.from(`tree ${tree}\n${above}author ${who}\ncommitter ${who}\n${more}\nwork\n`));
  }

  /** Folders that each hold the one below `width` times: a few objects that stand for `width` to the power of `levels` files. */
  bomb(bottom: { readonly mode: string; readonly id: string }, levels: number, width: number): string {
    let { mode, id } = bottom;
    for (let level = 0; level < levels; level++) {
      id = this.tree(Array.from({ length: width }, (_, n) => ({ mode, name: `n${String(n).padStart(4, "0")}`, id })));
      mode = "40000";
    }
    return id;
  }
}

/** A pack with one object whose header tells a size of its own; the checksum behind it is right. */
export function lyingPack(content: Buffer, size: number): Buffer {
  const header = [];
  let left = BigInt(size);
  let byte = (3 << 4) | Number(left & 15n);
  for (left >>= 4n; left > 0n; left >>= 7n) {
    header.push(byte | 0x80);
    byte = Number(left & 127n);
  }
  header.push(byte);
  const body = Buffer.concat([Buffer.from("PACK\0\0\0\x02\0\0\0\x01", "latin1"), Buffer.from(header), deflateSync(content)]);
  return Buffer.concat([body, createHash("sha1").update(body).digest()]);
}

/** The index of a pack with one object (gitformat-pack(5), version 2). */
export function packIndex(pack: Buffer, id: string): Buffer {
  const fan = Buffer.alloc(1024);
  for (let n = Number.parseInt(id.slice(0, 2), 16); n < 256; n++) fan.writeUInt32BE(1, n * 4);
  const word = (value: number) => ((bytes) => (bytes.writeUInt32BE(value), bytes))(Buffer.alloc(4));
  const crc = word(crc32(pack.subarray(12, -20)));
  const body = Buffer.concat([
    Buffer.from("\xfftOc\0\0\0\x02", "latin1"),
    fan,
    Buffer.from(id, "hex"),
    crc,
    word(12),
    pack.subarray(-20),
  ]);
  return Buffer.concat([body, createHash("sha1").update(body).digest()]);
}

/** An index with one entry for a whole folder (`sdir`, gitformat-index(5)): whoever reads it opens that tree. */
export function sparseIndex(tree: string): Buffer {
  const entry = Buffer.alloc(62);
  entry.writeUInt32BE(0o40000, 24);
  Buffer.from(tree, "hex").copy(entry, 40);
  entry.writeUInt16BE(0x4000 | 2, 60);
  // Extended flags: skip-worktree. A name is followed by NULs up to a multiple of eight.
  const padded = Buffer.concat([entry, Buffer.from([0x40, 0]), Buffer.from("d/"), Buffer.alloc(8 - ((64 + 2) % 8))]);
  const body = Buffer.concat([Buffer.from("DIRC\0\0\0\x03\0\0\0\x01", "latin1"), padded, Buffer.from("sdir\0\0\0\0", "latin1")]);
  return Buffer.concat([body, createHash("sha1").update(body).digest()]);
}
