import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Lockfile, missingFrom } from "../../scripts/complete-lockfile.ts";
import { ROOT } from "./scratch-tree.ts";

const lockfile: Lockfile = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
const manifest: { devDependencies: Record<string, string> } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

describe("the lockfile", () => {
  it("holds every platform's packages, or npm ci refuses it (scripts/complete-lockfile.ts adds them)", () => {
    expect(missingFrom(lockfile).map(({ name }) => name)).toEqual([]);
  });

  it("is not fooled: a package that is missing is found missing", () => {
    const packages = {
      "node_modules/a": { optionalDependencies: { "@a/linux-x64": "1.0.0", "@a/darwin-x64": "1.0.0", b: "2.0.0" } },
      "node_modules/a/node_modules/b": { version: "2.0.0" },
      "node_modules/@a/linux-x64": { version: "1.0.0" },
    };
    expect(missingFrom({ packages }).map(({ name }) => name)).toEqual(["@a/darwin-x64"]);
  });

  it("names no registry", () => {
    const resolved = Object.entries(lockfile.packages).flatMap(([path, entry]) =>
      entry.resolved ? [[path, entry.resolved]] : [],
    );
    // A package of this repository is a link to its folder.
    const own = readdirSync(join(ROOT, "packages")).map((name) => [`node_modules/@loopdash/${name}`, `packages/${name}`]);
    expect(resolved).toEqual(own);
  });

  it("goes with exact versions in package.json", () => {
    const loose = Object.entries(manifest.devDependencies).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version));
    expect(loose).toEqual([]);
  });
});
