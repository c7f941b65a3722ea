import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ASK, BLOCKED, folder, inside, payload, START, use } from "./guard-server-stage.ts";

const BY_NODE = ASK.replace("$OWN", "");
const SERVER = "$(pgrep -f [_]_guard-server)";

/** The exit code and the outputs of a question, asked by the client of a server that runs, and of Node alone. */
const bothWays = (script: (ask: string) => string, text: string) =>
  [`${START}; ${script(ASK)}`, script(BY_NODE)].map((way) => inside(way, { P: text }));

describe("the client of a guard server", { timeout: 120_000 }, () => {
  test("waits for no server that accepts nobody and whose queue is full: Node answers", () => {
    const fill = `$NODE -e '
      const [path] = process.argv.slice(1);
      let waits = 0;
      const next = () => require("node:net").connect(path, next).on("error", (error) => require("node:fs").writeFileSync("/tmp/full", error.code));
      next();' "$SOCKETS"/* & until_ '[ -s /tmp/full ]'; cat /tmp/full >&2`;
    const { status, stdout, stderr } = inside(
      `${START}; kill -STOP ${SERVER}; ${fill}; ${ASK.replace("| $OWN", "| timeout 20 $OWN")}; code=$?; kill $!; exit $code`,
      payload("git reset --hard"),
    );
    expect({ status, stdout, stderr }).toEqual({ status: 2, stdout: "", stderr: `EAGAIN${BLOCKED}` });
  });

  test("waits for no server that is stopped, even if SIGALRM is blocked", () => {
    const blocked = `timeout 20 perl -MPOSIX -e 'sigprocmask(SIG_BLOCK, POSIX::SigSet->new(SIGALRM)); exec @ARGV'`;
    const ask = ASK.replace("| $OWN", `| ${blocked} $OWN`);
    const stopped = inside(`${START}; kill -STOP ${SERVER}; ${ask}`, payload("git reset --hard"));
    expect(stopped).toEqual({ status: 2, stdout: "", stderr: BLOCKED });
  });

  test("does not judge a payload whose end does not come, whether it is short or long: Node blocks it", () => {
    for (const length of [0, 1_200_000]) {
      writeFileSync(join(folder(), "begun.json"), use("Bash", { command: "git status" }) + " ".repeat(length));
      const endless = `mkfifo /tmp/in; { cat ${join(folder(), "begun.json")}; exec sleep 100; } > /tmp/in & timeout 50 ${ASK.replace(/^.*\| /, "")} < /tmp/in; code=$?; kill $!; exit $code`;
      const { status, stderr } = inside(`${START}; ${endless}`, payload("git status"));
      expect([length, status, stderr]).toEqual([
        length,
        137,
        expect.stringContaining("did not finish what it sends within 10 s"),
      ]);
    }
  });

  test.each<[string, (ask: string) => string]>([
    ["is in a folder that is gone", (ask) => `mkdir /tmp/gone; cd /tmp/gone; rmdir /tmp/gone; ${ask}`],
    ["reads what is no file", (ask) => `${ask.replace(/^.*\| /, "")} < /tmp`],
    ["has no descriptors", (ask) => `${ask.replace(/^.*\| /, "")} <&- >&- 2>&-`],
    ["has an output that is full", (ask) => `${ask} > /dev/full 2> /dev/full`],
    ["has an output that nobody reads", (ask) => `{ ${ask}; echo $? > /tmp/code; } 2>&1 | true; cat /tmp/code`],
    [
      "reads from a pipe that does not block",
      (ask) => ask.replace(/^(.*) \| /, `{ sleep 0.3; $1; } | perl -MFcntl -e 'fcntl(STDIN, F_SETFL, O_NONBLOCK); exec @ARGV' `),
    ],
    ["has Perl read and write other bytes", (ask) => `export PERL_UNICODE=SDA PERLIO=:crlf; ${ask} --settings /tmp/ü`],
    ["has a locale that does not exist", (ask) => `export LC_ALL=xx_XX; ${ask}`],
    ["has few descriptors left", (ask) => `ulimit -n 30; ${ask}`],
  ])("ends and prints as Node alone does if it %s", (_, script) => {
    for (const command of ["git reset --hard", "git status"]) {
      const [byServer, byNode] = bothWays(script, use("Bash", { command }));
      expect(byServer).toEqual(byNode);
    }
  });

  test("asks no server that sees other files", () => {
    const elsewhere = `bwrap --dev-bind / / --tmpfs /mnt -- sh -c '${ASK.replace("$NODE", "/nowhere/node")}'`;
    const { status } = inside(`${START}; ${elsewhere}`, payload("git status"));
    expect(status).toBe(127);
  });

  test("asks no server of another build that has its place, its size and its time", () => {
    const program = `cp -r "\${MAIN%/*}" /tmp/dist; MAIN=/tmp/dist/loopdash.js; echo '{"type":"module"}' > /tmp/package.json`;
    const changed = `until_ '[ "$(stat -c %Z /tmp/dist/guard.cjs)" -lt "$(date +%s)" ]'; touch -d 1985-10-26T08:15:00Z /tmp/dist/guard.cjs`;
    const served = ASK.replace("$NODE", "/nowhere/node");
    const { stdout } = inside(
      `${program}; ${changed}; ${START}; ${served}; echo $?; ${changed}; ${served}; echo $?`,
      payload("git status"),
    );
    expect(stdout).toBe("0\n127\n");
  });
});
