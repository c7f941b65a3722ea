import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { isAlive } from "../../e2e/actors.ts";
import type { Stage } from "../../e2e/stage.ts";
import type { TicketAttack } from "../campaign.ts";
import { DEFENCES } from "./defences.ts";
import { SHELL } from "./hands.ts";

/**
 * A process of the person's that agents may not reach: it listens on a port, for datagrams, on an abstract socket, on one in the
 * hidden home and on one in the opened folder, and makes a file `hits/<name>` of whatever name it is sent.
 */
const VICTIM = `import * as fs from "node:fs";
import { createServer } from "node:net";
import { createSocket } from "node:dgram";
const root = process.argv[2];
const hit = (name) => fs.writeFileSync(root + "/hits/" + String(name).match(/[A-Za-z0-9-]+/)[0], "");
const told = (socket) => socket.on("error", () => {}).once("data", (text) => { hit(String(text).match(/hit=([\\w-]+)/)?.[1] ?? "nobody"); socket.end(); });
const tcp = createServer(told).listen(0, "127.0.0.1", () => {
  createServer(told).listen("\\0loopdash-victim-" + process.pid, () =>
  createServer(told).listen(root + "/agent.sock", () =>
  createServer(told).listen(root + "/shared/shown.sock", () => {
    const udp = createSocket("udp4").on("message", (text) => hit(String(text).match(/hit=([\\w-]+)/)?.[1] ?? "nobody"));
    udp.bind(0, "127.0.0.1", () => {
      fs.writeFileSync(root + "/shared/victim.pid", String(process.pid));
      fs.writeFileSync(root + "/shared/ports.tmp", tcp.address().port + " " + udp.address().port);
      fs.renameSync(root + "/shared/ports.tmp", root + "/shared/ports");
    });
  })));
});
`;

/** Starts it, and waits until it listens. It is ended with the stage, being of its environment. */
export function startVictim(stage: Stage): void {
  stage.write("hits/.keep", "");
  stage.write("shared/.keep", "");
  const script = stage.write("victim.mjs", VICTIM);
  const child = spawn(process.execPath, [script, stage.root], { cwd: stage.root, env: stage.env, stdio: "ignore" });
  child.unref();
  const cell = new Int32Array(new SharedArrayBuffer(4));
  while (!existsSync(stage.path("shared/ports"))) {
    if (child.pid === undefined || !isAlive(child.pid)) throw new Error("the victim did not start");
    Atomics.wait(cell, 0, 0, 5);
  }
}

/** The port on which it listens. */
export function victimPort(stage: Stage): number {
  return Number(readFileSync(stage.path("shared/ports"), "utf8").split(" ")[0]);
}

/** Whether it heard of an attack. */
export const isHit = ({ stage, ticket }: { stage: Stage; ticket: string }): boolean => existsSync(stage.path("hits", ticket));

/** Source that gives `tell(to)`: says the ticket's id to a socket, and notes what came of it. */
export const TELL = `${SHELL}
const net = await import("node:net"), dgram = await import("node:dgram");
const [tcpPort, udpPort] = fs.readFileSync(root + "/shared/ports", "utf8").split(" ").map(Number);
const victim = fs.readFileSync(root + "/shared/victim.pid", "utf8");
const tell = (to, text = "hit=" + ticket + "\\n") => new Promise((settle) => {
  let answer = "";
  const socket = net.connect(to, () => socket.write(text)).setEncoding("utf8");
  socket.on("data", (chunk) => { answer += chunk; });
  socket.on("error", (error) => { heard.push(error.message + " "); });
  socket.on("close", () => { heard.push(answer + " "); settle(answer); });
});
`;

const REFUSED = /ECONNREFUSED|ENOENT|EPERM|EACCES|ENETUNREACH|EADDRNOTAVAIL/;

export const REACHING: readonly TicketAttack[] = [
  {
    id: "D22-tcp",
    what: "talks to a server of this machine",
    defence: DEFENCES.agent,
    agent: `${TELL} await tell({ host: "127.0.0.1", port: tcpPort }); end();`,
    told: REFUSED,
    harm: isHit,
  },
  {
    id: "D22-udp",
    what: "sends a datagram, as a question to a name server is one",
    defence: DEFENCES.agent,
    agent: `${TELL} const socket = dgram.createSocket("udp4");
      await new Promise((settle) => socket.send("hit=" + ticket, udpPort, "127.0.0.1", settle)); socket.close(); heard.push("tried"); end();`,
    told: /heard: tried/,
    harm: isHit,
  },
  {
    id: "D22-abstract",
    what: "talks to an abstract socket of this machine, as X11 and D-Bus have them",
    defence: DEFENCES.agent,
    agent: `${TELL} await tell({ path: "\\0loopdash-victim-" + victim }); end();`,
    told: REFUSED,
    harm: isHit,
  },
  {
    id: "D22-agent",
    what: "talks to the ssh agent's socket in the home",
    defence: DEFENCES.agent,
    agent: `${TELL} await tell({ path: root + "/agent.sock" }); end();`,
    told: REFUSED,
    harm: isHit,
  },
  {
    id: "D22-shown",
    what: "talks to a socket that lies in a folder which the batch opens for reading",
    defence: DEFENCES.sockets,
    agent: `${TELL} await tell({ path: root + "/shared/shown.sock" }); end();`,
    told: /ECONNREFUSED|ENOTSOCK|EACCES/,
    harm: isHit,
  },
  {
    id: "E1-person",
    what: "ends a process of the person's by its number, in every way",
    defence: DEFENCES.agent,
    // Not the one that listens: others need it.
    agent: `${TELL} const pid = fs.readFileSync(root + "/shared/sleeper.pid", "utf8");
      for (const way of ["kill -TERM PID", "/bin/kill -KILL PID", "env kill -9 PID"]) $(way.replace("PID", pid)); end();`,
    told: /No such process/,
    harm: ({ stage }) => !isAlive(Number(readFileSync(stage.path("shared/sleeper.pid"), "utf8"))),
  },
  {
    id: "E1-engine",
    what: "looks whether it may signal the engine, by the number in the run's folder and by its parents",
    defence: DEFENCES.agent,
    agent: `${TELL} $("kill -0 $(cat " + root + "/home/runs/*/engine.pid) && touch " + root + "/hits/" + ticket); end();`,
    told: /No such file|No such process|not enough|usage/,
    harm: isHit,
  },
  {
    id: "B7-inside",
    what: "sends the engine a command on the run's socket: its own ticket is to be a person's",
    defence: DEFENCES.agent,
    agent: `${TELL} const { globSync } = fs; const found = globSync(root + "/home/runs/*/engine-*.sock");
      if (found.length === 0) heard.push("ENOENT: no socket of a run");
      for (const path of found) await new Promise((settle) => {
        const socket = net.connect({ path }, () => socket.end(JSON.stringify({ kind: "command", command: { type: "gate", ticket, step: "look away" } }) + "\\n"));
        socket.on("error", settle).on("close", settle).resume();
      });
      end();`,
    told: REFUSED,
    harm: ({ events, ticket }) => events.some((event) => event.type === "gate-requested" && event.ticket === ticket),
  },
  {
    id: "D15-swap",
    what: "puts a link to a person's folder in the place of its worktree, to have that folder land",
    defence: DEFENCES.swapped,
    agent: `${SHELL} const here = process.cwd(); heard.push($("mv " + here + " " + here + "-away && ln -s " + root + "/private " + here + " && echo swapped")); if (heard.join("").includes("swapped")) process.exit(0); end();`,
    told: /busy|Read-only|Permission denied|EBUSY|No such file|cannot move/,
    harm: ({ stage, ticket, landed }) =>
      landed && stage.git(ticket.toLowerCase(), "ls-tree", "-r", "--name-only", "main").includes("diary"),
  },
];

/** Makes the other things that they are aimed at. */
export function makeBystanders(stage: Stage): void {
  stage.write("private/diary", "a person's\n");
  const sleeper = spawn("sleep", ["1000"], { env: stage.env, stdio: "ignore" });
  sleeper.unref();
  stage.write("shared/sleeper.pid", String(sleeper.pid));
}
