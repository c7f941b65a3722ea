import { describe, expect, test } from "vitest";
import { readArgs } from "../../src/cli/args.ts";
import { UserError } from "../../src/domain/values/user-error.ts";

const run = {
  verb: "run",
  batch: "b.json",
  output: "auto",
  dryRun: false,
  fresh: false,
  detach: false,
  allowApiKey: false,
  acceptChanges: false,
};

const help = (usage: string): object => ({ verb: "help", text: expect.stringContaining(`Usage: ${usage}`) });

function helpOf(line: string): string {
  const request = readArgs(line.split(" "));
  return request.verb === "help" ? request.text : "";
}

describe("the command line", () => {
  test.for<[line: string, request: object]>([
    ["", help("loopdash <batch.json>")],
    ["--help", help("loopdash <batch.json>")],
    ["-h", help("loopdash <batch.json>")],
    ["help", help("loopdash <batch.json>")],
    ["run --help", help("loopdash run")],
    ["replay r-1 --help", help("loopdash replay")],
    ["help report", help("loopdash report")],
    ["b.json -h", help("loopdash <batch.json>")],
    ["--version", { verb: "version" }],
    ["-v", { verb: "version" }],
    ["b.json", run],
    ["run b.json", run],
    ["./batch", { ...run, batch: "./batch" }],
    ["b.json --headless", { ...run, output: "headless" }],
    ["--json b.json", { ...run, output: "json" }],
    ["b.json --workers 3 --fresh", { ...run, workers: 3, fresh: true }],
    ["b.json --workers=64", { ...run, workers: 64 }],
    ["b.json --dry-run", { ...run, dryRun: true }],
    ["b.json --detach", { ...run, detach: true }],
    ["b.json --allow-api-key", { ...run, allowApiKey: true }],
    ["b.json --accept-changes", { ...run, acceptChanges: true }],
    ["init", { verb: "init", flags: { out: "batch.json" } }],
    [
      "init --from github --repo a --repo b=../b#dev --labels x,y --agent-key K --out n.json --yes --force",
      {
        verb: "init",
        flags: { from: "github", repo: ["a", "b=../b#dev"], labels: "x,y", agentKey: "K", out: "n.json", yes: true, force: true },
      },
    ],
    ["add r-1 t.json", { verb: "add", run: "r-1", ticket: "t.json" }],
    ["run -- --odd.json", { ...run, batch: "--odd.json" }],
    ["oracle b.json", { verb: "oracle", batch: "b.json" }],
    ["attach", { verb: "attach" }],
    ["attach r-1", { verb: "attach", run: "r-1" }],
    ["replay", { verb: "replay", speed: 10, skipsIdle: true }],
    ["replay r-1 --speed 300 --idle", { verb: "replay", run: "r-1", speed: 300, skipsIdle: false }],
    ["replay --speed=2.5", { verb: "replay", speed: 2.5, skipsIdle: true }],
    ["status", { verb: "status", json: false }],
    ["status r-1 --json", { verb: "status", run: "r-1", json: true }],
    ["runs", { verb: "runs", json: false }],
    ["runs --json", { verb: "runs", json: true }],
    ["tracker check -- node t.mjs --file -x", { verb: "tracker", act: "check", command: ["node", "t.mjs", "--file", "-x"] }],
    ["guard check --json -- rm -rf", { verb: "guard", act: "check", json: true, words: ["rm", "-rf"] }],
    ["guard check ls", { verb: "guard", act: "check", json: false, words: ["ls"] }],
    [
      "guard install --agent claude codex --dry-run",
      {
        ...{ verb: "guard-setup", act: "install", agents: ["claude", "codex"], project: false },
        ...{ server: true, denyRules: true, stop: true, audit: true, dryRun: true, yes: false, json: false },
      },
    ],
    [
      "guard install --no-server --yes",
      {
        ...{ verb: "guard-setup", act: "install", agents: [], project: false },
        ...{ server: false, denyRules: true, stop: true, audit: true, dryRun: false, yes: true, json: false },
      },
    ],
    [
      "guard install --no-deny-rules --yes",
      {
        ...{ verb: "guard-setup", act: "install", agents: [], project: false },
        ...{ server: true, denyRules: false, stop: true, audit: true, dryRun: false, yes: true, json: false },
      },
    ],
    [
      "guard status --project --json --settings g.json",
      {
        verb: "guard-setup",
        act: "status",
        agents: [],
        project: true,
        settings: "g.json",
        server: true,
        denyRules: true,
        stop: true,
        audit: true,
        dryRun: false,
        yes: false,
        json: true,
      },
    ],
    ["hook stop --agent codex --report r", { verb: "hook", args: ["stop", "--agent", "codex", "--report", "r"] }],
    ["tracker check ./t", { verb: "tracker", act: "check", command: ["./t"] }],
    ["report", { verb: "report", format: "text" }],
    ["report r-1 --json", { verb: "report", run: "r-1", format: "json" }],
    ["report --md", { verb: "report", format: "md" }],
    ["report r-1 --html", { verb: "report", run: "r-1", format: "html" }],
    ["report --bundle out", { verb: "report-bundle", folder: "out", isForced: false }],
    ["report r-1 --bundle=out --force", { verb: "report-bundle", run: "r-1", folder: "out", isForced: true }],
    ["verify-journal", { verb: "verify-journal", json: false }],
    ["verify-journal r-1.tar.gz --json", { verb: "verify-journal", run: "r-1.tar.gz", json: true }],
    ["verify-journal --help", help("loopdash verify-journal")],
    ["doctor", { verb: "doctor", prepare: false, json: false }],
    ["doctor b.json --json", { verb: "doctor", batch: "b.json", prepare: false, json: true }],
    ["doctor b.json --prepare", { verb: "doctor", batch: "b.json", prepare: true, json: false }],
    ["completion bash", { verb: "completion", shell: "bash" }],
  ])("loopdash %s", ([line, request]) => {
    expect(readArgs(line.split(" ").filter((word) => word !== ""))).toEqual(request);
  });

  test.for<[line: string, what: string, todo: string]>([
    ["statsu", 'does not know "statsu"', "Did you mean: loopdash status"],
    ["batch", 'does not know "batch"', "Name a batch file"],
    ["b.json --headles", "no option --headles", "Did you mean --headless?"],
    ["b.json --worker 3", "no option --worker", "Did you mean --workers?"],
    ["b.json --constructor", "no option --constructor", "Known here: --help, --headless"],
    ["b.json --__proto__", "no option --__proto__", "Known here: "],
    ["runs --md", "loopdash runs has no option --md", "Known here: --help, --json"],
    ["oracle b.json --json", "loopdash oracle has no option --json", ""],
    ["b.json -x", "cannot be read", "--help"],
    ["b.json --workers", "cannot be read", "--help"],
    ["b.json --fresh=yes", "cannot be read", "--help"],
    ["b.json --workers 0", "whole number from 1 to 64", "--workers 4"],
    ["b.json --workers 65", "whole number from 1 to 64", ""],
    ["b.json --workers 2.5", "whole number from 1 to 64", ""],
    ["b.json --workers many", "whole number from 1 to 64", ""],
    ["run", "no batch file is named", "loopdash batch.json"],
    ["--headless", "no batch file is named", ""],
    ["oracle", "no batch file is named", ""],
    ["add my-run", "loopdash add lacks its ticket.json", "Try: loopdash add <run> <ticket.json>"],
    ["a.json b.json", "one batch file at a time", ""],
    ["attach a b", "loopdash attach takes at most one run", ""],
    ["replay a b", "loopdash replay takes at most one run", ""],
    ["replay --speed 0", "a number from 1 to 1000", "--speed 10"],
    ["replay --speed fast", "a number from 1 to 1000", ""],
    ["replay --sped 3", "no option --sped", "Did you mean --speed?"],
    ["runs a", "loopdash runs takes no run", ""],
    ["b.json --only A --only B --rehearse", "cannot be read", "loopdash run --help"],
    ["report --json --md", "one format", "Choose one"],
    ["report --html --md", "one format", "Choose one"],
    ["report --bundle out --json", "one format", "Choose one"],
    ["ci main --fix-mode all", "--fix-mode takes safe or report-only", "--fix-mode safe"],
    ["report --force", "--force needs --bundle", "report --help"],
    ["verify-journal a b", "at most one run", "--help"],
    ["doctor a.json b.json", "one batch file at a time", ""],
    ["init --from jira", "--from takes linear, github or folder", "--from folder"],
    ["init batch.json", "loopdash init takes no", ""],
    ["init --tem ENG", "no option --tem", "Did you mean --team?"],
    ["init --team", "cannot be read", "loopdash init --help"],
    ["help docter", 'does not know "docter"', "Did you mean: loopdash doctor"],
    ["completion tcsh", "completions are for bash, zsh, fish", "loopdash completion bash"],
    ["completion", "completions are for bash, zsh, fish", "loopdash completion bash"],
    ["completion bash zsh", "loopdash completion takes at most one shell", ""],
    ["docter", 'does not know "docter"', "Did you mean: loopdash doctor"],
    ["b.json --allow-apikey", "no option --allow-apikey", "Did you mean --allow-api-key?"],
  ])("loopdash %s is refused with what to do", ([line, what, todo]) => {
    let refused: unknown;
    try {
      readArgs(line.split(" "));
    } catch (error) {
      refused = error;
    }
    if (!(refused instanceof UserError)) throw new Error(`not refused: ${String(refused)}`);
    expect(refused).toMatchObject({ exitCode: 2 });
    expect(refused.what).toContain(what);
    expect(refused.todo).toContain(todo);
    expect(refused.why).not.toBe("");
  });

  test("a mode of fixing that does not exist is quoted as plain text", () => {
    expect(() => readArgs(["ci", "main", "--fix-mode", "o'ne\u001b[2J"])).toThrow(
      expect.objectContaining({ why: expect.stringMatching(/^"o'ne[^\u001b]*" is neither$/) }),
    );
  });

  test("an option that is given twice is named, unless it may be repeated", () => {
    expect(() => readArgs(["b.json", "--only", "A", "--only", "B"])).toThrow(
      expect.objectContaining({ why: "--only is given twice" }),
    );
    expect(readArgs(["init", "--repo", "a", "--repo", "b"])).toMatchObject({ flags: { repo: ["a", "b"] } });
    expect(readArgs(["guard", "install", "--agent", "claude", "--agent", "codex"])).toMatchObject({ verb: "guard-setup" });
  });

  test("two formats of a report are refused by name", () => {
    expect(() => readArgs(["report", "--html", "--md"])).toThrow(
      expect.objectContaining({ why: "--md and --html were both given" }),
    );
  });

  test("the help names every option of a run, every verb, and the exit codes", () => {
    const text = helpOf("--help");
    for (const word of ["--headless", "--json", "--workers", "--dry-run", "--fresh", "--detach", "--allow-api-key", "--version"])
      expect(text).toContain(word);
    for (const verb of [
      "run",
      "init",
      "attach",
      "replay",
      "oracle",
      "status",
      "runs",
      "report",
      "doctor",
      "tracker",
      "guard",
      "hook",
      "completion",
      "help",
    ])
      expect(text).toMatch(new RegExp(`^ {2}${verb}\\b`, "m"));
    expect(text).toMatch(/0 the oracle said done, 1 .*2 .*\n3 .*4 .*130 /);
  });

  test.for<[verb: string, ...options: string[]]>([
    ["replay", "--speed", "--idle"],
    ["status", "--json"],
    ["runs", "--json"],
    ["report", "--json", "--md", "--html"],
    ["doctor", "--json"],
  ])("the help of %s names its options", ([verb, ...options]) => {
    for (const option of options) expect(helpOf(`${verb} --help`)).toContain(option);
  });
});
