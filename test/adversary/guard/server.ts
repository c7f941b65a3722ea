import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { clientArgv } from "@loopdash/guard/server";
import { Stage } from "../../e2e/stage.ts";
import type { Attack } from "../suite.ts";

const BWRAP: string = "bwrap";
const UNTIL = `until_() { n=0; until eval "$1"; do n=$((n+1)); [ $n -lt 400 ] || { echo "never: $1" >&2; exit 99; }; sleep 0.05; done; }`;

/** Runs a script of a shell as a user without a name, with a /tmp and a network of its own; `$OWN` and `$AT` are the words of the client. */
function inside(program: string, script: string): number {
  const client = join(dirname(program), "guard-client.pl");
  const shown = [dirname(dirname(program)), dirname(process.execPath)].flatMap((path) => ["--ro-bind", path, path]);
  const walls =
    "--unshare-user --uid 12345 --unshare-pid --unshare-net --die-with-parent --ro-bind / / --dev /dev --proc /proc --tmpfs /tmp";
  const env = {
    PATH: process.env["PATH"],
    OWN: clientArgv("own", client).join(" "),
    AT: clientArgv("@loopdash-guard", client).join(" "),
    NODE: process.execPath,
    MAIN: program,
  };
  const argv = [...walls.split(" "), ...shown, "--chdir", "/tmp", "sh", "-c", `${UNTIL}\n${script}`];
  const { status, stderr } = spawnSync(BWRAP, argv, { env, encoding: "utf8", timeout: 60_000 });
  if (status === null || status === 99) throw new Error(`it could not be tried: ${stderr}`);
  return status;
}

const CHECK = "$NODE $MAIN guard check --";
const START = `$OWN ${CHECK} "git status"; until_ 'ls /tmp/loopdash-guard-* 2>/dev/null | grep -q . && ! ls /tmp/loopdash-guard-* | grep -q starting'`;
const CUT = `$NODE -e 'require("node:net").createServer({ allowHalfOpen: true }, (asked) => asked.resume().on("end", () => asked.end("0 10 0\\nx")))
  .listen("\\0loopdash-guard", () => require("node:fs").writeFileSync("/tmp/ready", ""));' & until_ '[ -e /tmp/ready ]'`;

/** An agent that answers in the place of a guard server, and asks its guard then. */
const IN_ITS_PLACE = `const { createServer } = await import("node:net");
  const { spawn } = await import("node:child_process");
  const server = createServer({ allowHalfOpen: true }, (asked) => asked.resume().on("end", () => asked.end("0 0 0\\n")));
  await new Promise((settle) => server.listen("\\0loopdash-guard", settle));
  const code = await new Promise((settle) => spawn(process.env.LOOPDASH_GUARD, ["git reset --hard"]).on("close", settle));
  server.close();
  fs.writeFileSync(ticket + ".txt", code === 0 ? "allowed\\n" : "blocked\\n");`;

/** Attacks on what answers hooks in Node's place. */
export const GUARD_SERVER: readonly Attack[] = [
  {
    id: "D17-no-home",
    what: "the user of a guard server has no home folder",
    defence: {
      name: "a guard that cannot judge blocks",
      holes: [
        {
          in: "guardCheck",
          from: 'return refuse(caller, "the guard cannot judge: this user has no home folder", "Set HOME to a folder of this user.")',
          to: "return ALLOWED",
        },
      ],
    },
    succeeds: async (program) =>
      inside(program, `export HOME=/tmp; ${START}; unset HOME; $OWN ${CHECK} "git reset --hard"`) === 0,
  },
  {
    id: "D17-cut",
    what: "the answer of a guard server is cut",
    defence: {
      name: "the client takes only an answer of the length that it says",
      holes: [
        {
          file: "client.pl",
          from: "answer_by_node() unless length $answer == $at + $out + $err;",
          to: "",
        },
      ],
    },
    succeeds: async (program) =>
      inside(program, `export HOME=/tmp; ${CUT}; $AT ${CHECK} "git reset --hard"; code=$?; kill $!; exit $code`) === 0,
  },
  {
    id: "D17-no-sandbox",
    what: "without a sandbox, somebody takes the name at which a sandbox has its guard server",
    defence: {
      name: "nobody asks for a guard server by name outside a sandbox",
      holes: [
        {
          in: "servedProgram",
          from: "if (client === undefined || confinement === undefined)",
          to: "if (client === undefined)",
        },
      ],
    },
    succeeds: async (program) => {
      using stage = new Stage(program);
      stage.repo("app");
      stage.agent(IN_ITS_PLACE);
      const check = { step: "check", name: "allowed", command: ["grep", "-q", "allowed", "T-1.txt"] };
      const finish = [{ step: "gates" }, check, { step: "merge" }];
      const { code, events } = await stage.events(stage.batch(["T-1"], { sandbox: "off", finish, limits: { attempts: 1 } }));
      if (!events.some(({ type }) => type === "agent-ended")) throw new Error(`the agent did not run: exit ${code}`);
      return code === 0;
    },
  },
];
