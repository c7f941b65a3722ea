/** Builds the package: `node scripts/build.ts [folder]`, into dist/ by default. Sources in, files out; no watch mode. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { batchJsonSchema } from "../src/domain/batch/json-schema.ts";
import { lintJsonSchema } from "../src/domain/lint/lint-spec.ts";
import { assertLightStart, assertNoHiddenRequire, assertSelfContained } from "./build/assertions.ts";
import { bundle, PROGRAM, ROOT } from "./build/bundle.ts";
import { noticesOf } from "./build/notices.ts";

/** Writes changed files and removes obsolete ones. Unchanged files are left alone, because a run may be using them. */
function writeAll(folder: string, files: ReadonlyMap<string, Uint8Array>): void {
  for (const [name, bytes] of files) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    if (!(existsSync(path) && readFileSync(path).equals(bytes))) writeFileSync(path, bytes);
  }
  const kept = new Set([...files.keys()].map((name) => name.split("/", 1)[0]));
  for (const name of readdirSync(folder)) if (!kept.has(name)) rmSync(join(folder, name), { recursive: true });
  chmodSync(join(folder, PROGRAM), 0o755);
}

async function main(folder: string): Promise<void> {
  const { files: built, outputs } = await bundle();
  assertSelfContained(outputs);
  for (const { name, text } of built) assertNoHiddenRequire(name, text);
  assertLightStart(outputs, `dist/${PROGRAM}`, "src/cli/run-cli.ts");
  const text = (value: string): Uint8Array => new TextEncoder().encode(value);
  const files = new Map(built.map((file) => [file.name, text(file.text)]));
  files.set("guard-client.pl", readFileSync(join(ROOT, "packages/guard/src/server/client.pl")));
  for (const name of ["preload.cjs", "python/sitecustomize.py", "ruby/rspec.rb", "php/loopdash.ini", "php/prepend.php"])
    files.set(`reporters/${name}`, readFileSync(join(ROOT, "src/adapters/test-results/reporters", name)));
  files.set("batch.schema.json", text(`${JSON.stringify(batchJsonSchema(), null, 2)}\n`));
  files.set("lint.schema.json", text(`${JSON.stringify(lintJsonSchema(), null, 2)}\n`));
  files.set("licenses.txt", text(noticesOf(ROOT, outputs)));
  writeAll(folder, files);
  const bytes = [...files.values()].reduce((sum, file) => sum + file.length, 0);
  // On stderr: `npm pack --json` runs this, and its caller parses stdout.
  console.error(`built ${files.size} files, ${Math.round(bytes / 1024)} KiB, in ${Math.round(performance.now())} ms`);
}

try {
  await main(resolve(process.argv[2] ?? join(ROOT, "dist")));
} catch (error) {
  // esbuild has printed its own errors by now.
  console.error(`build failed: ${error instanceof Error ? error.message.split("\n", 1)[0] : String(error)}`);
  process.exitCode = 1;
}
