/**
 * Entry of the program: refuses a Node that is too old, before anything that such a Node cannot load is loaded.
 * So nothing is imported at the top here, and the syntax is what Node 18 can parse.
 */
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const args = process.argv.slice(2);
// Whoever may signal this process, an oracle for one, could have Node open its debugger, and with it all that we hold. A listener
// takes the place of that.
process.on("SIGUSR1", () => undefined);

if (major < 24 || (major === 24 && minor < 15)) {
  process.stderr.write(
    `loopdash needs Node 24.15 or newer, and this is Node ${process.versions.node}. Install it and try again.\n`,
  );
  process.exitCode = 2;
} else if (args.length === 1 && args[0] === "--version") {
  const { VERSION } = await import("./version.ts");
  process.stdout.write(`${VERSION}\n`);
} else if (args[0] === "__relay") {
  // Hidden verb, begun in every sandbox with a way out: so fast that it takes no part in what other verbs load.
  const { relay } = await import("./relay.ts");
  process.exitCode = await relay(args.slice(1));
} else {
  const { keepHeapSmall } = await import("./small-heap.ts");
  keepHeapSmall();
  // The process that runs git has other flags than the rest, and loads next to nothing.
  if (args[0] !== "__git") (await import("./compile-cache.ts")).keepCompiled();
  const { runCli } = await import("./run-cli.ts");
  process.exitCode = await runCli(args);
}

export {};
