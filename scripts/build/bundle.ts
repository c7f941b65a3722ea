import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { type BuildOptions, type BuildResult, build, type Plugin } from "esbuild";
import { toAscii } from "./ascii.ts";
import type { Outputs } from "./assertions.ts";

export const ROOT = resolve(import.meta.dirname, "../..");
/** The file that a run freezes and executes. */
const ORACLE = "oracle.cjs";
/** The command guard by itself, for the fast start of `guard check`. */
const GUARD = "guard.cjs";
export const PROGRAM = "loopdash.js";

const COMMON = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: "node",
  target: "node24",
  // Node 24 has both. Without them esbuild turns `/\p{…}/u` into a `new RegExp`, and Ink then makes one for every character of
  // every frame.
  supported: { "regexp-unicode-property-escapes": true, "regexp-set-notation": true },
  // An ES module if a package has one: a package's CommonJS file may hide its own requires from the bundler.
  mainFields: ["module", "main"],
  legalComments: "none",
  logLevel: "warning",
  metafile: true,
  write: false,
} as const satisfies BuildOptions;

/**
 * Left out: React's developer tools, which Ink looks for if the environment says DEV=true, and `supports-color`, which a logger
 * looks for in any node_modules above it. Neither is among our packages; an empty module replaces each.
 */
const OPTIONAL = /^(?:react-devtools-core|supports-color)$/;
const WITHOUT_OPTIONAL: Plugin = {
  name: "without-optional",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: OPTIONAL }, ({ path }) => ({ path, namespace: "left-out" }));
    onLoad({ filter: /.*/, namespace: "left-out" }, () => ({ contents: "module.exports = { initialize() {} };", loader: "js" }));
  },
};

/** Commander can run programs as verbs. We have none, and loading `node:child_process` takes some 3 ms of every start. */
const NO_PROGRAMS: Plugin = {
  name: "commander-without-programs",
  setup({ onResolve }) {
    onResolve({ filter: /^node:child_process$/ }, ({ path, importer }) =>
      /\/node_modules\/commander\//.test(importer) ? { path, namespace: "left-out" } : undefined,
    );
  },
};

/** Yoga decodes its WebAssembly by `fetch` if that exists, which loads all of Node's: some 50 ms before the first frame. */
const YOGA: Plugin = {
  name: "yoga-without-fetch",
  setup({ onLoad }) {
    onLoad({ filter: /yoga-wasm-base64-esm\.js$/ }, ({ path }) => ({
      contents: `const fetch = undefined;\n${readFileSync(path, "utf8")}`,
    }));
  },
};

/**
 * An import of `node:http` reads all that it exports, also `WebSocket`, for which Node loads its whole `fetch`: measured 35 ms and
 * 13 MB. A require reads nothing.
 */
const HTTP: Plugin = {
  name: "http-without-fetch",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(?:node:)?http$/ }, ({ kind }) =>
      kind === "require-call" ? { path: "node:http", external: true } : { path: "node:http", namespace: "required" },
    );
    onLoad({ filter: /.*/, namespace: "required" }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)});`,
    }));
  },
};

/** Errors in a batch file are reported in English. The other languages are half of zod, and parsed at every start. */
const ENGLISH: Plugin = {
  name: "zod-in-english",
  setup({ onLoad }) {
    onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({ contents: 'export { default as en } from "./en.js";' }));
  },
};

/**
 * npm installs one copy of a package for each dependant if another version is above it: Ink alone brings five copies of the same
 * `string-width`, whose table of emoji takes V8 some 20 ms each to parse. All dependants on Ink's version share Ink's copy.
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

/** The options for bundling the program, for every output. */
export const AS_SHIPPED = {
  ...COMMON,
  format: "esm",
  define: {
    // React's production build; the other one records every render.
    "process.env.NODE_ENV": '"production"',
  },
  plugins: [WITHOUT_OPTIONAL, NO_PROGRAMS, YOGA, HTTP, ENGLISH, ONE_COPY],
  banner: {
    // Some packages are CommonJS and require Node's modules.
    js: '#!/usr/bin/env node\nimport { createRequire as requireOf } from "node:module";\nconst require = requireOf(import.meta.url);',
  },
} as const satisfies BuildOptions;

/**
 * Bundles the program in chunks, so that each verb loads only its own code. Packages are included: ink and react as some 250
 * separate files take about 400 ms to load, as one file 170 ms; and the installed code is exactly the tested code.
 */
function buildProgram(entry: Readonly<Record<string, string>>, define: Defines, plugins: readonly Plugin[]): Promise<Built> {
  return build({
    ...AS_SHIPPED,
    entryPoints: entry,
    outdir: "dist",
    splitting: true,
    chunkNames: "[name]-[hash]",
    define: { ...AS_SHIPPED.define, ...define },
    plugins: [...AS_SHIPPED.plugins, ...plugins],
  });
}

type Defines = Readonly<Record<`LOOPDASH_${string}`, string>>;

/** The version, the bundles beside the program, and a hash of what all of it is made of. */
function definesOf(): Defines {
  const manifest: { version: string } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const sources = globSync(["{src,packages/*/src}/**/*.ts", "components/**/*.{ts,tsx}", "package-lock.json"], {
    cwd: ROOT,
  }).sort();
  const hash = createHash("sha256");
  for (const name of sources) hash.update(`${name}\n`).update(readFileSync(join(ROOT, name)));
  return {
    LOOPDASH_VERSION: JSON.stringify(manifest.version),
    LOOPDASH_BUILD: JSON.stringify(hash.digest("hex").slice(0, 16)),
    LOOPDASH_GUARD_BUNDLE: JSON.stringify(`./${GUARD}`),
    LOOPDASH_ENGINE_BUNDLE: JSON.stringify("./engine.js"),
  };
}

function buildOracle(plugins: readonly Plugin[]): Promise<Built> {
  const of = { entryPoints: ["oracle/done.ts"], outfile: `dist/${ORACLE}`, plugins: [...plugins] };
  // It starts some 30 times per run, and a module takes Node longer to load than a script: a tenth of a judgement.
  return build({ ...COMMON, ...of, format: "cjs" });
}

function buildGuard(plugins: readonly Plugin[]): Promise<Built> {
  const of = { entryPoints: ["src/cli/guard/run-guard.ts"], outfile: `dist/${GUARD}`, plugins: [...plugins] };
  // It starts before every command of an agent: half the text takes a third less time to load.
  return build({ ...COMMON, ...of, format: "cjs", minify: true });
}

/** A file of dist/, not yet written to disk. */
export interface BuiltFile {
  readonly name: string;
  readonly text: string;
}

/** All bundles, and esbuild's record of what is in them. `plugins` come after our own. */
export async function bundle(
  plugins: readonly Plugin[] = [],
): Promise<{ readonly files: readonly BuiltFile[]; readonly outputs: Outputs }> {
  const define = definesOf();
  const bundles = await Promise.all([
    buildProgram({ [basename(PROGRAM, ".js")]: "src/cli/main.ts" }, define, plugins),
    buildProgram({ engine: "src/cli/engine-process.ts" }, define, plugins),
    buildOracle(plugins),
    buildGuard(plugins),
  ]);
  const outputs: Outputs = Object.assign({}, ...bundles.map(({ metafile }) => metafile.outputs));
  const files = bundles.flatMap(({ outputFiles }) =>
    outputFiles.map(({ path, text }) => ({ name: basename(path), text: toAscii(path, text) })),
  );
  const tripwire = Object.keys(outputs).filter((path) => outputs[path]?.inputs["src/adapters/tripwire/code-sha.ts"]);
  const list = JSON.stringify(tripwire.map((path) => basename(path)).sort());
  return { files: [...files, { name: "tripwire.json", text: list }], outputs };
}
