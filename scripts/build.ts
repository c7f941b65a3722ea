/** Builds the package: `node scripts/build.ts [folder]`, into dist/ where no folder is given. Sources in, files out; no watch mode. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { type BuildOptions, type BuildResult, build, type Plugin } from "esbuild";
import { batchJsonSchema } from "../src/domain/batch/json-schema.ts";
import { assertLightStart, assertNoHiddenRequire, assertSelfContained, type Outputs } from "./build/assertions.ts";
import { noticesOf } from "./build/notices.ts";

const ROOT = resolve(import.meta.dirname, "..");

/** The file that a run freezes and executes. */
const ORACLE = "oracle.mjs";
const PROGRAM = "loopdash.js";

const COMMON = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node24",
  // An ES module where a package has one: a package's CommonJS file may hide its own requires from the bundler.
  mainFields: ["module", "main"],
  legalComments: "none",
  logLevel: "warning",
  metafile: true,
  write: false,
} as const satisfies BuildOptions;

/**
 * Left out: React's developer tools, which Ink looks for where the environment says DEV=true, and `supports-color`, which a
 * logger looks for in whatever node_modules lie above it. Neither is among our packages; an empty module stands for each.
 */
const OPTIONAL = /^(?:react-devtools-core|supports-color)$/;
const WITHOUT_OPTIONAL: Plugin = {
  name: "without-optional",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: OPTIONAL }, ({ path }) => ({ path, namespace: "left-out" }));
    onLoad({ filter: /.*/, namespace: "left-out" }, () => ({ contents: "module.exports = { initialize() {} };", loader: "js" }));
  },
};

type Built = BuildResult<typeof COMMON>;

/**
 * The program in chunks, so that each verb loads only what it needs. Packages are bundled: ink and react as some 250 separate
 * files take about 400 ms to load, as one file 170 ms; and what is installed is exactly what was tested.
 */
function buildProgram(version: string): Promise<Built> {
  return build({
    ...COMMON,
    entryPoints: { [basename(PROGRAM, ".js")]: "src/cli/main.ts" },
    outdir: "dist",
    splitting: true,
    chunkNames: "[name]-[hash]",
    define: {
      LOOPDASH_VERSION: JSON.stringify(version),
      // React's production build; its other one records every render.
      "process.env.NODE_ENV": '"production"',
    },
    plugins: [WITHOUT_OPTIONAL],
    // Some packages are CommonJS and call require for modules of Node.
    banner: {
      js: '#!/usr/bin/env node\nimport { createRequire as requireOf } from "node:module";\nconst require = requireOf(import.meta.url);',
    },
  });
}

function buildOracle(): Promise<Built> {
  return build({ ...COMMON, entryPoints: ["oracle/done.ts"], outfile: `dist/${ORACLE}` });
}

/** Writes what changed and removes what is no longer made; what is the same is left alone, for a run may be using it. */
function writeAll(folder: string, files: ReadonlyMap<string, Uint8Array>): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, bytes] of files) {
    const path = join(folder, name);
    if (!(existsSync(path) && readFileSync(path).equals(bytes))) writeFileSync(path, bytes);
  }
  for (const name of readdirSync(folder)) if (!files.has(name)) rmSync(join(folder, name), { recursive: true });
  chmodSync(join(folder, PROGRAM), 0o755);
}

async function main(folder: string): Promise<void> {
  const manifest: { version: string } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const [program, oracle] = await Promise.all([buildProgram(manifest.version), buildOracle()]);
  const outputs: Outputs = { ...program.metafile.outputs, ...oracle.metafile.outputs };
  const built = [...program.outputFiles, ...oracle.outputFiles];
  assertSelfContained(outputs);
  for (const file of built) assertNoHiddenRequire(basename(file.path), file.text);
  assertLightStart(outputs, `dist/${PROGRAM}`, "src/cli/run-cli.ts");
  const text = (value: string): Uint8Array => new TextEncoder().encode(value);
  const files = new Map(built.map((file) => [basename(file.path), file.contents]));
  files.set("batch.schema.json", text(`${JSON.stringify(batchJsonSchema(), null, 2)}\n`));
  files.set("licenses.txt", text(noticesOf(ROOT, outputs)));
  writeAll(folder, files);
  const bytes = [...files.values()].reduce((sum, file) => sum + file.length, 0);
  // On stderr: `npm pack --json` runs this, and its stdout is for its reader.
  console.error(`built ${files.size} files, ${Math.round(bytes / 1024)} KiB, in ${Math.round(performance.now())} ms`);
}

try {
  await main(resolve(process.argv[2] ?? join(ROOT, "dist")));
} catch (error) {
  // esbuild has printed its own complaints by now.
  console.error(`build failed: ${error instanceof Error ? error.message.split("\n", 1)[0] : String(error)}`);
  process.exitCode = 1;
}
