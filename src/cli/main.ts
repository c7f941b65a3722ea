/**
 * Entry of the program: refuses a Node that is too old before it loads anything that such a Node cannot load. So there are no
 * imports at the top, and the syntax is limited to Node 18's.
 */
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const args = process.argv.slice(2);
// Any process that may signal this one, for example an oracle, could open Node's debugger, and with it all our data. A listener
// replaces that default.
process.on("SIGUSR1", () => undefined);

if (major < 24 || (major === 24 && minor < 15)) {
  process.stderr.write(
    `loopdash needs Node 24.15 or newer, and this is Node ${process.versions.node}. The command loopdash finds or fetches one.\n`,
  );
  // A hook after a tool or at a stop must not keep an agent from going on.
  process.exitCode = args[0] === "hook" && args[1] !== "before-tool" ? 1 : 2;
} else if (args.length === 1 && args[0] === "--version") {
  const { VERSION } = await import("./version.ts");
  process.stdout.on("error", () => undefined);
  process.stdout.write(`${VERSION}\n`);
} else if (args[0] === "__relay") {
  // Hidden verb, started in every sandbox with a gateway: for speed it loads nothing of the other verbs.
  const { relay } = await import("./relay.ts");
  process.exitCode = await relay(args.slice(1), loadGuard);
} else if (args[0] === "__guard-server" && args[1] !== undefined) {
  const { ownGuardServer } = await import("@loopdash/guard/server");
  process.exitCode = await ownGuardServer(args[1], (await loadGuard()).runGuard);
} else if (args[0] === "hook" || (args[0] === "guard" && args[1] === "check")) {
  const code = (await loadGuard()).runGuard(args);
  process.exitCode = code === undefined ? await (await import("./run-cli.ts")).runCli(args) : await code;
} else {
  const { keepHeapSmall } = await import("./small-heap.ts");
  keepHeapSmall();
  // The process that runs git has different flags, and loads almost nothing.
  if (args[0] !== "__git") (await import("./package-files.ts")).keepCompiled();
  // Hidden verb: the engine process that the dashboard starts (see spawn-engine.ts).
  if (args[0] === "__engine") process.exitCode = await (await loadEngine()).engineProcess(args[1] ?? "");
  else process.exitCode = await (await import("./run-cli.ts")).runCli(args);
}

/**
 * Loads the guard, which starts before every command of an agent: its bundle is a script, because Node takes 8 ms longer to load
 * it as a module, and its compiled code is kept (see package-files.ts).
 */
async function loadGuard(): Promise<typeof import("./guard/run-guard.ts")> {
  if (typeof LOOPDASH_GUARD_BUNDLE !== "string") return import("./guard/run-guard.ts");
  const { createRequire, enableCompileCache } = process.getBuiltinModule("node:module");
  enableCompileCache(`${import.meta.dirname}/../.cache`);
  return createRequire(import.meta.url)(LOOPDASH_GUARD_BUNDLE);
}

/**
 * Loads the engine from a bundle of its own. The program's other files are cut into what each verb needs: an engine would load 80 of
 * them, which takes it 60 ms more and 8 MB.
 */
async function loadEngine(): Promise<typeof import("./engine-process.ts")> {
  if (typeof LOOPDASH_ENGINE_BUNDLE !== "string") return import("./engine-process.ts");
  return process.getBuiltinModule("node:module").createRequire(import.meta.url)(LOOPDASH_ENGINE_BUNDLE);
}

/** The bundles of the guard and of the engine; set by the build. */
declare const LOOPDASH_GUARD_BUNDLE: string | undefined;
declare const LOOPDASH_ENGINE_BUNDLE: string | undefined;

export {};
