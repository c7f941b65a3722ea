import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { Stage } from "./stage.ts";

/** Ways in which code may tell where it runs: expressions over `fs`, `os`, `sh`. Each gives JSON. */
const DETECTORS: Readonly<Record<string, string>> = {
  "the working folder": "process.cwd()",
  "its own path": "import.meta.url",
  "the home": "[os.homedir(), process.env.HOME, fs.readdirSync(os.homedir()).filter(foreign)]",
  "the temporary folder": "[os.tmpdir(), fs.statSync(os.tmpdir()).mode]",
  "who runs it": "[process.getuid(), process.getgid(), process.getgroups(), process.umask()]",
  "the name of the machine": "[os.hostname(), os.release(), os.arch()]",
  "values of variables that both have": "Object.entries(process.env).filter(([name]) => !/^(?:LOOPDASH_|_$)/.test(name)).sort()",
  "the first process": 'fs.readFileSync("/proc/1/cmdline", "utf8").split("\\0").slice(0, 4)',
  "how many processes there are besides": 'fs.readdirSync("/proc").filter((name) => /^1$/.test(name)).length',
  rights: 'fs.readFileSync("/proc/self/status", "utf8").match(/^(?:Cap|NoNew|Seccomp:).*$/gm)',
  limits: 'fs.readFileSync("/proc/self/limits", "utf8")',
  "what the root shows": 'fs.readdirSync("/").sort()',
  devices: 'fs.readdirSync("/dev").filter((name) => name !== "stdin").sort()',
  "the network": "Object.keys(os.networkInterfaces()).sort()",
  proxies: "Object.keys(process.env).filter((name) => /proxy/i.test(name))",
  "time and language": "[Intl.DateTimeFormat().resolvedOptions().timeZone, process.env.LANG, new Date().getFullYear()]",
  "a terminal": "[process.stdin.isTTY, process.stdout.isTTY]",
  "who commits": 'sh("git var GIT_AUTHOR_IDENT").split(">")[0]',
  "where git thinks it is": 'sh("git rev-parse --show-toplevel")',
  remotes: 'sh("git remote")',
  "branches that are not its own": 'sh("git for-each-ref --format=%(refname) refs/tags")',
  "settings of git": 'sh("git config --get user.email || true")',
  "the program": "[process.execPath, process.version, process.argv0]",
  priority: "os.getPriority()",
  "folders beside it": 'fs.readdirSync("..").filter(foreign).sort()',
};

/** Variables of the proxy that an agent and a verification have, and a check has not; docs/inside/decisions/sealed-checkouts.md says why. */
const PROXY = /^(?:https?_proxy|no_proxy|NODE_USE_ENV_PROXY)$/i;

/** What a detector finds but for these variables. */
function withoutProxy(found: unknown): unknown {
  if (!Array.isArray(found)) return found;
  return found.filter((entry: unknown) => !PROXY.test(String(Array.isArray(entry) ? entry[0] : entry)));
}

/** What differs between an agent and a check, each with its reason in docs/inside/decisions/sealed-checkouts.md. */
const ALLOWED = ["LOOPDASH_ATTEMPT", "LOOPDASH_GUARD", "LOOPDASH_OUTBOX", "LOOPDASH_PROMPT", "LOOPDASH_TICKET"];

const SCRIPT = `import * as fs from "node:fs";
import * as os from "node:os";
import { execSync } from "node:child_process";
const sh = (line) => execSync(line, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
// What an agent's contract shows it: its program, and its outbox in loopdash's state.
const foreign = (name) => !["agent.mjs", "home"].includes(name);
const look = (how) => { try { return how(); } catch (error) { return String(error.code ?? error); } };
const found = {
${Object.entries(DETECTORS)
  .map(([name, how]) => `${JSON.stringify(name)}: look(() => ${how}),`)
  .join("\n")}
  names: Object.keys(process.env).filter((name) => name.startsWith("LOOPDASH_")).sort(),
};
console.log("FOUND " + JSON.stringify(found));
`;

describe("an agent and a check", () => {
  const seen = new Map<string, Record<string, unknown>>();

  beforeAll(async () => {
    using stage = new Stage();
    stage.repo("app", { "detect.mjs": SCRIPT, "README.md": "# test\n" });
    stage.agent(`say(sh(process.execPath, "detect.mjs")); fs.writeFileSync("work", "x");`);
    const command = [process.execPath, "detect.mjs"];
    const finish = [{ step: "check", name: "look", command }, { step: "merge" }, { step: "verify", name: "live", command }];
    const batch = stage.batch(["T-1"], { sandbox: "required", finish });
    const { code, stdout } = await stage.start([batch, "--json"]).ended;
    expect(code, stdout).toBe(0);
    const folder = globSync("runs/*/tickets/T-1/attempt-1", { cwd: stage.home })[0] ?? "";
    for (const log of ["agent", "check-look", "verify-live"]) {
      const file = join(stage.home, folder, `${log}.log`);
      const line = existsSync(file) ? /FOUND (.*)/.exec(readFileSync(file, "utf8"))?.[1] : undefined;
      seen.set(log, JSON.parse(line ?? "{}"));
    }
  });

  test.each(Object.keys(DETECTORS))("cannot be told apart by %s", (name) => {
    expect(seen.get("check-look")?.[name]).toBeDefined();
    const agents = withoutProxy(seen.get("agent")?.[name]);
    expect(seen.get("check-look")?.[name]).toEqual(agents);
    expect(withoutProxy(seen.get("verify-live")?.[name])).toEqual(agents);
  });

  test("differ by the variables of an agent's contract alone", () => {
    expect(seen.get("agent")?.["names"]).toEqual(ALLOWED);
    expect(seen.get("check-look")?.["names"]).toEqual([]);
    expect(seen.get("verify-live")?.["names"]).toEqual([]);
  });
});
