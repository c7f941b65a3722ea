/** A layer: its folder and everything that its files may import. All other imports are refused. */
export interface Layer {
  readonly name: string;
  readonly folder: string;
  /** Layers that it may import, besides itself. */
  readonly layers: readonly string[];
  readonly packages: readonly string[];
  /** Modules of Node that it may import, without `node:`. */
  readonly builtins: readonly string[] | "all";
  /** If each folder of the layer is closed to the others: the folders that stay open to all of them. */
  readonly openFolders?: readonly string[];
  /**
   * If the folders of the layer have an order: level by level, from the outermost in. Every file is in one of them. A folder
   * imports those of later levels and no other of its own level. `views/*` is each folder within `views`.
   */
  readonly folderLevels?: readonly (readonly string[])[];
}

/** Everything that ships. All other files are tools and stay out of the program. */
const SHIPPED = [
  "@anthropic-ai/sandbox-runtime",
  "@bomb.sh/tab",
  "@linear/sdk",
  "@octokit/core",
  "@octokit/plugin-paginate-rest",
  "@octokit/plugin-rest-endpoint-methods",
  "@octokit/plugin-retry",
  "@octokit/plugin-throttling",
  "chalk",
  "cli-truncate",
  "commander",
  "execa",
  "fast-xml-parser",
  "fastest-levenshtein",
  "ink",
  "jsonc-parser",
  "modern-tar",
  "picomatch",
  "re2js",
  "react",
  "simple-git",
  "string-width",
  "yaml",
  "zod",
  "zustand",
] as const;

/** The packages of this repository without I/O, which every part of loopdash but the oracle may import. */
const PURE_PACKAGES = ["values", "guard", "test-evidence", "triage", "model-gateway"] as const;

/**
 * The layers, from the inside out. The packages come first, since none of them may import loopdash. Of two layers that hold a file, the first
 * is its layer.
 */
export const LAYERS: readonly Layer[] = [
  { name: "values/node", folder: "packages/values/src/node", layers: ["values"], packages: [], builtins: ["fs", "os"] },
  { name: "values", folder: "packages/values/src", layers: [], packages: ["fastest-levenshtein", "jsonc-parser"], builtins: [] },
  {
    name: "test-evidence/reports",
    folder: "packages/test-evidence/src/reports",
    layers: ["values", "test-evidence"],
    packages: ["zod", "fast-xml-parser", "tap-parser"],
    builtins: [],
  },
  {
    name: "test-evidence",
    folder: "packages/test-evidence/src",
    layers: ["values"],
    packages: ["picomatch"],
    builtins: ["path", "path/posix"],
  },
  {
    name: "guard/program",
    folder: "packages/guard/src/program",
    layers: ["guard", "values", "values/node"],
    packages: [],
    builtins: "all",
  },
  {
    name: "guard/server",
    folder: "packages/guard/src/server",
    // The type of a caller.
    layers: ["values", "guard/program"],
    packages: [],
    builtins: ["fs", "net"],
  },
  {
    name: "guard",
    folder: "packages/guard/src",
    layers: ["values"],
    packages: ["unbash", "jsonc-parser"],
    builtins: ["crypto", "path"],
  },
  {
    name: "model-gateway/server",
    folder: "packages/model-gateway/src/server",
    layers: ["values", "model-gateway"],
    packages: ["eventsource-parser"],
    builtins: "all",
  },
  {
    name: "model-gateway",
    folder: "packages/model-gateway/src",
    layers: ["values"],
    packages: ["zod"],
    builtins: [],
  },
  {
    name: "triage",
    folder: "packages/triage/src",
    layers: ["values", "test-evidence"],
    packages: ["zod"],
    builtins: ["crypto"],
  },
  {
    name: "domain",
    folder: "src/domain",
    layers: [...PURE_PACKAGES],
    packages: ["zod", "picomatch", "jsonc-parser", "re2js"],
    builtins: ["crypto", "path", "path/posix"],
  },
  {
    name: "ports",
    folder: "src/ports",
    layers: [...PURE_PACKAGES, "test-evidence/reports", "domain"],
    packages: [],
    builtins: [],
  },
  {
    name: "adapters",
    folder: "src/adapters",
    layers: [...PURE_PACKAGES, "values/node", "test-evidence/reports", "model-gateway/server", "domain", "ports"],
    packages: SHIPPED,
    builtins: "all",
    // All adapters start processes through the one folder, and reach GitHub through the other.
    openFolders: ["executor", "github"],
  },
  {
    name: "loop",
    folder: "src/loop",
    layers: [...PURE_PACKAGES, "test-evidence/reports", "domain", "ports"],
    packages: ["zod", "picomatch"],
    // The loop owns the files of a run; processes, sockets and databases are behind ports.
    builtins: ["buffer", "crypto", "events", "fs", "fs/promises", "path", "timers", "timers/promises", "util"],
    folderLevels: [["run"], ["heal"], ["attempt"], ["steps"], ["questions"], ["programs"], ["concurrency"]],
  },
  {
    name: "store",
    folder: "src/store",
    layers: [...PURE_PACKAGES, "domain"],
    packages: ["zustand", "string-width", "cli-truncate"],
    builtins: [],
  },
  {
    name: "components",
    folder: "components",
    layers: ["domain", "store"],
    packages: ["ink", "react", "zustand", "string-width", "cli-truncate", "chalk"],
    builtins: [],
    folderLevels: [["app"], ["screen-reader"], ["views"], ["dialogs", "views/*"], ["frame"], ["kit"], ["terminal"]],
  },
  // The page of a run: text from a state, so it needs no access to the outside.
  { name: "report", folder: "src/report", layers: ["domain", "store"], packages: [], builtins: [] },
  {
    name: "cli",
    folder: "src/cli",
    layers: [
      ...PURE_PACKAGES,
      "values/node",
      "guard/program",
      "guard/server",
      "test-evidence/reports",
      "model-gateway/server",
      "domain",
      "ports",
      "adapters",
      "loop",
      "store",
      "components",
      "report",
    ],
    packages: SHIPPED,
    builtins: "all",
  },
  // No layer may import the oracle: the engine runs it as a process of its own, from frozen bytes.
  { name: "oracle", folder: "oracle", layers: [], packages: [], builtins: "all" },
];

/** The modules that start programs, the one folder that may import them, and the exceptions, each with its reason. */
export const STARTERS: {
  readonly modules: readonly string[];
  readonly folder: string;
  readonly exceptions: Readonly<Record<string, string>>;
} = {
  modules: ["child_process", "execa", "simple-git", "cluster"],
  folder: "src/adapters/executor",
  exceptions: {
    "src/adapters/oracle/oracle-process.ts":
      "the exit authority: all output is kept, its group has a lower priority, no log, no fence",
    "packages/guard/src/program/hook/stop-guard.ts":
      "the hook of an agent that stops, inside the sandbox: it runs git and checks, and waits for them",
    "src/adapters/vcs/git/bounded-process.ts":
      "streams a worker's git through `onOutput`, which ends it at once; also in the helper",
    "src/adapters/vcs/git/bounded-shell.ts": "keeps a shell that runs one git after another, in a sandbox or without",
    "src/adapters/vcs/git/git-helper.ts": "forks our own program with a channel for requests",
    "src/adapters/notice/notice-process.ts": "forks our own program, which outlives this process",
    "src/adapters/vcs/git/git-session.ts": "a git that stays and answers one question after another on stdin",
    "src/adapters/vcs/git/run-git.ts":
      "simple-git for single commands: it watches for silence and refuses settings that start programs",
    "src/cli/bound/run-law.ts":
      "a person's own command on their terminal, as they would type it: their environment, output passed on",
    "src/cli/relay.ts": "starts before each sandboxed program, so it loads Node's own modules alone; passes signals and stdio on",
    "src/cli/spawn-engine.ts": "starts our own engine detached, which outlives this process",
  },
};
