import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { copyInto } from "../../../src/adapters/run-files/copy-into.ts";

function aFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "loopdash-copy-into-")));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of ["checkout", "outside"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "from"), "content");
  return folder;
}

it("writes through no link that a change has made: neither of a folder nor of the file", async () => {
  const folder = aFolder();
  const checkout = join(folder, "checkout");
  const from = join(folder, "from");
  symlinkSync(join(folder, "outside"), join(checkout, "conf"));
  expect(await copyInto(checkout, { from, to: "conf/.env" })).toMatch(/^conf is a link/);
  expect(readdirSync(join(folder, "outside"))).toEqual([]);
  writeFileSync(join(folder, "outside/kept"), "kept");
  symlinkSync(join(folder, "outside/kept"), join(checkout, ".env"));
  expect(await copyInto(checkout, { from, to: ".env" })).toBeUndefined();
  expect(readFileSync(join(folder, "outside/kept"), "utf8")).toBe("kept");
  expect(readFileSync(join(checkout, ".env"), "utf8")).toBe("content");
  expect(statSync(join(checkout, ".env")).mode & 0o777).toBe(0o600);
});

it("reads no file beyond 1 MiB, and none through a link", async () => {
  const folder = aFolder();
  symlinkSync("from", join(folder, "link"));
  writeFileSync(join(folder, "large"), Buffer.alloc(1024 * 1024 + 1));
  const copy = (name: string) => copyInto(join(folder, "checkout"), { from: join(folder, name), to: "a/b" });
  expect(await copy("link")).toBe("it is a link");
  expect(await copy("large")).toBe("it is larger than 1048576 bytes");
  expect(readdirSync(join(folder, "checkout"))).toEqual([]);
});
