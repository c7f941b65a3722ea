import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createExecutor } from "../../../src/adapters/executor/process-executor.ts";
import { resolveProgram } from "../../../src/adapters/executor/resolve-program.ts";
import { requestOf, useFolder } from "./support.ts";

const folder = useFolder();

function put(path: string, mode = 0o755): string {
  const file = join(folder(), path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, '#!/bin/sh\necho "$0"\n', { mode });
  return file;
}

describe("the program a child would run", () => {
  it("is the first executable file on the path, as a child finds it", async () => {
    put("first/tool", 0o644);
    mkdirSync(join(folder(), "second/tool"), { recursive: true });
    const tool = put("third/tool");
    put("fourth/tool");
    const path = ["first", "second", "third", "fourth", "missing"].map((name) => join(folder(), name)).join(":");
    expect(await resolveProgram("tool", { cwd: folder(), path })).toBe(tool);
    expect((await createExecutor().run(requestOf({ argv: ["tool"], env: { PATH: path } }))).tail).toBe(`${tool}\n`);
  });

  it("is taken from the working folder where it has a slash or the path says so", async () => {
    const tool = put("bin/tool");
    expect(await resolveProgram("./bin/tool", { cwd: folder(), path: "" })).toBe(tool);
    expect(await resolveProgram("bin/tool", { cwd: folder(), path: "/bin" })).toBe(tool);
    expect(await resolveProgram(tool, { cwd: "/", path: "" })).toBe(tool);
    expect(await resolveProgram("tool", { cwd: folder(), path: "/bin:bin" })).toBe(tool);
    expect(await resolveProgram("tool", { cwd: join(folder(), "bin"), path: "/bin:" })).toBe(tool);
  });

  it("is nothing where there is none", async () => {
    const plain = put("plain", 0o644);
    for (const name of ["no-such-program", plain, "./plain", "plain/below", folder(), "", "a\0b", "n".repeat(5_000)]) {
      expect(await resolveProgram(name, { cwd: folder(), path: folder() })).toBeUndefined();
    }
  });
});
