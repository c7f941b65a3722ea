import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { ROOT } from "./scratch-tree.ts";

const GUARD = join(ROOT, "scripts/require-node.cjs");

/** Runs the guard as if on another version of Node. */
function guard(node: string): { code: number | undefined; said: string } {
  let code: number | undefined;
  let said = "";
  const process = {
    versions: { node },
    stderr: { write: (text: string) => (said += text) },
    exit: (status: number) => {
      code = status;
    },
  };
  runInNewContext(readFileSync(GUARD, "utf8"), { process });
  return { code, said };
}

describe("the guard before every script", () => {
  it.each(["18.20.8", "20.20.2", "22.23.0", "24.14.1"])("stops on Node %s and says what to do", (version) => {
    const { code, said } = guard(version);
    expect(code).toBe(1);
    expect(said).toContain(`runs on Node ${version}.`);
    expect(said).toContain("npm ci");
  });

  it.each(["24.15.0", "24.21.0", "26.0.0"])("lets Node %s pass in silence", (version) => {
    expect(guard(version)).toEqual({ code: undefined, said: "" });
  });

  it("passes on the Node that npm ci brings", () => {
    expect(spawnSync(join(ROOT, "node_modules/.bin/node"), [GUARD]).status).toBe(0);
  });

  it("comes first in every script of package.json that runs something of ours", () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    for (const name of ["start", "test", "check", "build", "bench", "picture"])
      expect(scripts[name]).toMatch(/^node scripts\/require-node\.cjs && /);
  });
});
