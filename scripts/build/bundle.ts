import { readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { type BuildOptions, type BuildResult, build, type Plugin } from "esbuild";

export const ROOT = resolve(import.meta.dirname, "../..");
/** The file that a run freezes and executes. */
const ORACLE = "oracle.cjs";
export const PROGRAM = "loopdash.js";

const COMMON = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: "node",
  target: "node24",
  // Node 24 has both. Without them esbuild makes `/\p{…}/u` a `new RegExp`, and Ink one for every character of every frame.
  supported: { "regexp-unicode-property-escapes": true, "regexp-set-notation": true },
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

/** Commander can run programs as verbs. Ours are none, and to load `node:child_process` takes some 3 ms of every start. */
const NO_PROGRAMS: Plugin = {
  name: "commander-without-programs",
  setup({ onResolve }) {
    onResolve({ filter: /^node:child_process$/ }, ({ path, importer }) =>
      /\/node_modules\/commander\//.test(importer) ? { path, namespace: "left-out" } : undefined,
    );
  },
};

/** Yoga decodes its WebAssembly by `fetch` where there is one, which loads all of Node's: some 50 ms before the first frame. */
const YOGA: Plugin = {
  name: "yoga-without-fetch",
  setup({ onLoad }) {
    onLoad({ filter: /yoga-wasm-base64-esm\.js$/ }, ({ path }) => ({
      contents: `const fetch = undefined;\n${readFileSync(path, "utf8")}`,
    }));
  },
};

/** What is wrong with a batch file is said in English. The other languages are half of zod, and read at every start. */
const ENGLISH: Plugin = {
  name: "zod-in-english",
  setup({ onLoad }) {
    onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({ contents: 'export { default as en } from "./en.js";' }));
  },
};

/**
 * npm installs a package once for each that wants it, where another version of it stands above: Ink alone brings five times the
 * same `string-width`, whose table of emoji takes V8 some 20 ms each to read. All that want Ink's version get Ink's copy.
 */
const ONE_COPY: Plugin = {
  name: "one-copy",
  setup({ onResolve, resolve }) {
    const versionAt = (path: string): unknown => JSON.parse(readFileSync(join(dirname(path), "package.json"), "utf8")).version;
    onResolve({ filter: /^string-width$/ }, async ({ path, pluginData, importer, resolveDir, kind }) => {
      if (pluginData === "resolving") return undefined;
      const from = { kind, importer, pluginData: "resolving" };
      const own = await resolve(path, { ...from, resolveDir });
      const inks = await resolve(path, { ...from, resolveDir: join(ROOT, "node_modules", "ink") });
      return versionAt(own.path) === versionAt(inks.path) ? inks : own;
    });
  },
};

type Built = BuildResult<typeof COMMON>;

/** How the program is bundled, whatever is made of it. */
export const AS_SHIPPED = {
  ...COMMON,
  format: "esm",
  define: {
    // React's production build; its other one records every render.
    "process.env.NODE_ENV": '"production"',
  },
  plugins: [WITHOUT_OPTIONAL, NO_PROGRAMS, YOGA, ENGLISH, ONE_COPY],
  banner: {
    // Some packages are CommonJS and call require for modules of Node.
    js: '#!/usr/bin/env node\nimport { createRequire as requireOf } from "node:module";\nconst require = requireOf(import.meta.url);',
  },
} as const satisfies BuildOptions;

/**
 * The program in chunks, so that each verb loads only what it needs. Packages are bundled: ink and react as some 250 separate
 * files take about 400 ms to load, as one file 170 ms; and what is installed is exactly what was tested.
 */
function buildProgram(version: string, plugins: readonly Plugin[]): Promise<Built> {
  return build({
    ...AS_SHIPPED,
    entryPoints: { [basename(PROGRAM, ".js")]: "src/cli/main.ts" },
    outdir: "dist",
    splitting: true,
    chunkNames: "[name]-[hash]",
    define: { ...AS_SHIPPED.define, LOOPDASH_VERSION: JSON.stringify(version) },
    plugins: [...AS_SHIPPED.plugins, ...plugins],
  });
}

function buildOracle(plugins: readonly Plugin[]): Promise<Built> {
  const of = { entryPoints: ["oracle/done.ts"], outfile: `dist/${ORACLE}`, plugins: [...plugins] };
  // It is started some 30 times a run, and to load a module costs Node more than to load a script: a tenth of a judgement.
  return build({ ...COMMON, ...of, format: "cjs" });
}

/** The program and the oracle, not yet written anywhere: what esbuild made, and from what. `plugins` come after our own. */
export function bundle(plugins: readonly Plugin[] = []): Promise<[program: Built, oracle: Built]> {
  const manifest: { version: string } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  return Promise.all([buildProgram(manifest.version, plugins), buildOracle(plugins)]);
}
