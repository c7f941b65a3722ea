import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { isAlive } from "../../e2e/actors.ts";
import type { Stage } from "../../e2e/stage.ts";
import { campaign, type TicketAttack, type World } from "../campaign.ts";
import { isHit, startVictim, TELL, victimPort } from "../escape/reaching.ts";
import type { Attack } from "../suite.ts";
import { DEFENCES } from "./defences.ts";

/** The password of the machine's proxy. */
const PASSWORD = "s3cr3t-of-the-company";

/** A server of this machine that the batch opens, and that sends whoever asks it to the victim. */
const REDIRECTOR = `import * as fs from "node:fs";
import { createServer } from "node:http";
const [root, port] = process.argv.slice(2);
const server = createServer((req, res) => {
  res.writeHead(302, { location: "http://127.0.0.1:" + port + "/hit=" + req.url.slice(1) }).end();
}).listen(0, "127.0.0.1", () => {
  fs.writeFileSync(root + "/shared/redirector.tmp", String(server.address().port));
  fs.renameSync(root + "/shared/redirector.tmp", root + "/shared/redirector");
});
`;

function startServers(stage: Stage): void {
  startVictim(stage);
  const script = stage.write("redirector.mjs", REDIRECTOR);
  const args = [script, stage.root, String(victimPort(stage))];
  const child = spawn(process.execPath, args, { cwd: stage.root, env: stage.env, stdio: "ignore" });
  child.unref();
  const cell = new Int32Array(new SharedArrayBuffer(4));
  while (!existsSync(stage.path("shared/redirector"))) {
    if (child.pid === undefined || !isAlive(child.pid)) throw new Error("the redirector did not start");
    Atomics.wait(cell, 0, 0, 5);
  }
}

const redirectorPort = (stage: Stage): number => Number(readFileSync(stage.path("shared/redirector"), "utf8"));

/** Source that gives `ask(url)`: asks the proxy for a page, and gives the status and where it leads. */
const ASK = `${TELL}
const http = await import("node:http");
const ask = (url) => new Promise((settle) => {
  const { hostname, port } = new URL(process.env.HTTP_PROXY);
  http.request({ hostname, port, path: url }, (res) => {
    res.resume();
    heard.push(res.statusCode + " ");
    settle(res.headers.location);
  }).on("error", (error) => { heard.push(error.message + " "); settle(undefined); }).end();
});`;

const ATTACKS: readonly TicketAttack[] = [
  {
    id: "N6",
    what: "opens a tunnel to a named host that leads beside the addresses that the batch gives for it",
    defence: DEFENCES.range,
    agent: `${TELL} const { hostname, port } = new URL(process.env.HTTP_PROXY);
      await tell({ host: hostname, port: Number(port) }, "CONNECT localhost:" + tcpPort + " HTTP/1.1\\r\\nHost: x\\r\\n\\r\\nhit=" + ticket);
      end();`,
    told: /403 /,
    harm: isHit,
  },
  {
    id: "N6-forward",
    what: "talks to that host at its own port in the sandbox, where loopdash passes connections on",
    defence: DEFENCES.range,
    agent: `${TELL} await tell({ host: "127.0.0.1", port: tcpPort }); say("it was passed on and answered: " + heard.length); end();`,
    told: /passed on and answered/,
    harm: isHit,
  },
  {
    id: "N7",
    what: "follows an open server of this machine, which redirects to another one",
    defence: DEFENCES.hosts,
    agent: `${ASK} const port = fs.readFileSync(root + "/shared/redirector", "utf8");
      const leads = await ask("http://localhost:" + port + "/" + ticket);
      await ask(leads.replace("127.0.0.1", "localhost"));
      await ask(leads);
      end();`,
    told: /302 .*403 /,
    harm: isHit,
  },
  {
    id: "N8",
    what: "looks for the password of the machine's proxy in all that it can read of processes",
    defence: DEFENCES.proxy,
    agent: `const read = (path) => { try { return fs.readFileSync(path, "latin1"); } catch { return ""; } };
      const pids = fs.readdirSync("/proc").filter((name) => /^\\d+$/.test(name));
      const all = JSON.stringify(process.env) + pids.map((pid) => read("/proc/" + pid + "/environ") + read("/proc/" + pid + "/cmdline")).join();
      const found = /s3cr3t[-a-z]*/.exec(all);
      say(found === null ? "there was nothing to read" : "read " + found[0]);`,
    told: /there was nothing to read/,
    harm: ({ said }) => said.includes(`read ${PASSWORD}`),
  },
];

const world: World = {
  files: { "README.md": "# test\n" },
  around: startServers,
  env: { HTTPS_PROXY: `http://worker:${PASSWORD}@127.0.0.1:9` },
  batch: (stage) => ({
    sandbox: "required",
    sandboxPolicy: {
      read: ["shared"],
      hosts: {
        agent: [
          { host: "localhost", addresses: ["127.0.0.2"], port: victimPort(stage) },
          { host: "localhost", addresses: ["127.0.0.1"], port: redirectorPort(stage) },
        ],
      },
    },
    finish: [{ step: "gates" }, { step: "merge" }],
  }),
};

/** Attacks by an agent to which the batch opens private addresses, on a machine with a proxy. */
export const PRIVATE: readonly Attack[] = campaign(world, ATTACKS);
