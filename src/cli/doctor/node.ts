import { realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runBriefly } from "../../adapters/executor/brief-run.ts";
import { bad, type CheckResult, ok } from "./check-result.ts";
import { withProbeFolder } from "./probe-folder.ts";

const INSTALL = "Install Node 24.15 or newer from nodejs.org, or by your version manager, and run loopdash with it.";

/** Time limit for a Node that runs a few lines of script. Milliseconds. */
const DEADLINE_MS = 20_000;

/** Checks the Node that runs loopdash: its version, its SQLite, and the confinement by its permission model. */
export async function checkNode(options: { readonly node: string; readonly version: string }): Promise<readonly CheckResult[]> {
  return [version(options), await sqlite(options.node), await permissions(options.node)];
}

/** An older one is refused before the doctor starts (see main.ts), so this only reports the version. */
function version({ node, version }: { readonly node: string; readonly version: string }): CheckResult {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const found = `${version} (${node})`;
  return major > 24 || (major === 24 && minor >= 15) ? ok("node", found) : bad("node", `${found} is too old`, INSTALL);
}

async function sqlite(node: string): Promise<CheckResult> {
  const script = `const { DatabaseSync } = require("node:sqlite");
    process.stdout.write(new DatabaseSync(":memory:").prepare("SELECT sqlite_version() AS v").get().v);`;
  const { exitCode, stdout, stderr } = await runNode(node, ["-e", script]);
  if (exitCode === 0 && /^\d+\.\d+/.test(stdout)) return ok("node-sqlite", `SQLite ${stdout} by node:sqlite`);
  return bad("node-sqlite", `node:sqlite does not work: ${firstLine(stderr)}`, INSTALL);
}

/** The confinement of the oracle: a script that may read one folder must fail at everything else, and still read that one. */
const CANARY = `const fs = require("node:fs"), tried = {};
  const attempt = (name, act) => { try { act(); tried[name] = "done"; } catch (error) { tried[name] = error.code ?? "?"; } };
  const [allowed, secret, target] = process.argv.slice(2);
  attempt("allowed", () => fs.readFileSync(allowed));
  attempt("read", () => fs.readFileSync(secret));
  attempt("write", () => fs.writeFileSync(target, ""));
  attempt("start", () => { const { error } = require("node:child_process").spawnSync(process.execPath, ["-v"]); if (error) throw error; });
  process.stdout.write(JSON.stringify(tried));`;

async function permissions(node: string): Promise<CheckResult> {
  return withProbeFolder(realpathSync(tmpdir()), async (folder) => {
    const [script, allowed, secret] = ["canary.cjs", "allowed", "secret"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    for (const file of [allowed, secret]) writeFileSync(file, "x");
    writeFileSync(script, CANARY);
    const may = [script, allowed].map((path) => `--allow-fs-read=${path}`);
    const { stdout, stderr } = await runNode(node, ["--permission", ...may, script, allowed, secret, join(folder, "target")]);
    const tried = parse(stdout);
    if (tried === undefined) return bad("node-permissions", `the permission model does not work: ${firstLine(stderr)}`, INSTALL);
    const free = ["read", "write", "start"].filter((name) => tried[name] !== "ERR_ACCESS_DENIED");
    if (free.length > 0) return bad("node-permissions", `under --permission a script could still ${free.join(", ")}`, INSTALL);
    if (tried["allowed"] !== "done")
      return bad("node-permissions", "under --permission a script cannot read what it may", INSTALL);
    return ok("node-permissions", "a script under --permission can read what it is given, and nothing else");
  });
}

function runNode(node: string, args: readonly string[]) {
  return runBriefly([node, ...args], { env: {}, timeoutMs: DEADLINE_MS });
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    // The script did not finish; its stderr is reported instead.
    return undefined;
  }
}

function firstLine(text: string): string {
  return text.split("\n").find((line) => /\S/.test(line)) ?? "it said nothing";
}
