import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../../scripts/build/bundle.ts";

test("the example starts without the API keys of this machine, so that it needs no --allow-api-key even without a sandbox", () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { scripts: { start: string } };
  const [, preload = ""] = / --import (\S+) dist\/loopdash\.js batch\.example\.json/.exec(scripts.start) ?? [];
  const env = { PATH: process.env["PATH"] ?? "", ANTHROPIC_API_KEY: "sk-stray", OPENAI_BASE_URL: "http://x.test", KEPT: "yes" };
  const print = "console.log(Object.keys(process.env).filter((name) => /^(ANTHROPIC|OPENAI|KEPT)/.test(name)).join())";
  const printed = execFileSync(process.execPath, ["--import", preload, "--eval", print], { cwd: ROOT, env, encoding: "utf8" });
  expect(printed.trim()).toBe("KEPT");
});
