import { readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { type BuildOptions, type BuildResult, build, type Plugin } from "esbuild";

export const ROOT = resolve(import.meta.dirname, "../..");
/** The file that a run freezes and executes. */
const ORACLE = "oracle.mjs";
export const PROGRAM = "loopdash.js";

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
function buildProgram(version: string, plugins: readonly Plugin[]): Promise<Built> {
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
    plugins: [WITHOUT_OPTIONAL, ...plugins],
    // Some packages are CommonJS and call require for modules of Node.
    banner: {
      js: '#!/usr/bin/env node\nimport { createRequire as requireOf } from "node:module";\nconst require = requireOf(import.meta.url);',
    },
  });
}

function buildOracle(plugins: readonly Plugin[]): Promise<Built> {
  return build({ ...COMMON, entryPoints: ["oracle/done.ts"], outfile: `dist/${ORACLE}`, plugins: [...plugins] });
}

/** The program and the oracle, not yet written anywhere: what esbuild made, and from what. `plugins` come after our own. */
export function bundle(plugins: readonly Plugin[] = []): Promise<[program: Built, oracle: Built]> {
  const manifest: { version: string } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  return Promise.all([buildProgram(manifest.version, plugins), buildOracle(plugins)]);
}
