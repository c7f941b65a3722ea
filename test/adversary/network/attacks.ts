import { campaign, type TicketAttack, type World } from "../campaign.ts";
import { isHit, startVictim, TELL, victimPort } from "../escape/reaching.ts";
import type { Attack, Defence } from "../suite.ts";
import { DEFENCES } from "./defences.ts";

/** An agent that speaks to its proxy by hand. PORT is where the victim listens, ID the ticket. */
function asks(id: string, what: string, defence: Defence, lines: readonly string[]): TicketAttack {
  return {
    id,
    what,
    defence,
    agent: `${TELL} const { hostname, port } = new URL(process.env.HTTP_PROXY);
      const text = ${JSON.stringify(lines.map((line) => `${line}\r\n`).join(""))}.replaceAll("PORT", tcpPort).replaceAll("ID", ticket);
      await tell({ host: hostname, port: Number(port) }, text); end();`,
    told: /40[03] /,
    harm: isHit,
  };
}

const ATTACKS: readonly TicketAttack[] = [
  asks("N1", "opens a tunnel to a server of this machine", DEFENCES.hosts, [
    "CONNECT 127.0.0.1:PORT HTTP/1.1",
    "Host: 127.0.0.1:PORT",
    "",
    "hit=ID",
  ]),
  asks("N1-mapped", "opens a tunnel to it by its address in IPv6", DEFENCES.hosts, [
    "CONNECT [::ffff:127.0.0.1]:PORT HTTP/1.1",
    "Host: x",
    "",
    "hit=ID",
  ]),
  asks("N1-host", "opens a tunnel to it, and names an open host beside it", DEFENCES.hosts, [
    "CONNECT 127.0.0.1:PORT HTTP/1.1",
    "Host: open.invalid:443",
    "",
    "hit=ID",
  ]),
  asks("N2", "asks it for a page through the proxy", DEFENCES.hosts, [
    "GET http://127.0.0.1:PORT/hit=ID HTTP/1.1",
    "Host: 127.0.0.1:PORT",
    "",
    "",
  ]),
  asks("N2-host", "asks it for a page, and names an open host in the header", DEFENCES.hosts, [
    "GET http://127.0.0.1:PORT/hit=ID HTTP/1.1",
    "Host: open.invalid:443",
    "",
    "",
  ]),
  asks("N2-second", "asks it behind a request that was answered already", DEFENCES.hosts, [
    "GET http://127.0.0.1:1/ HTTP/1.1",
    "Host: 127.0.0.1:1",
    "Content-Length: 0",
    "",
    "GET http://127.0.0.1:PORT/hit=ID HTTP/1.1",
    "Host: x",
    "",
    "",
  ]),
  asks("N3", "opens a tunnel to a named host that leads into this machine", DEFENCES.address, [
    "CONNECT localhost:PORT HTTP/1.1",
    "Host: x",
    "",
    "hit=ID",
  ]),
  asks("N3-plain", "asks a named host for a page that leads into this machine", DEFENCES.address, [
    "GET http://localhost:PORT/hit=ID HTTP/1.1",
    "Host: localhost:PORT",
    "",
    "",
  ]),
];

const world: World = {
  files: { "README.md": "# test\n" },
  around: startVictim,
  batch: (stage) => ({
    sandbox: "required",
    sandboxPolicy: { read: ["shared"], hosts: { agent: ["open.invalid", `localhost:${victimPort(stage)}`] } },
    finish: [{ step: "gates" }, { step: "merge" }],
  }),
};

/** Attacks on the network by an agent to which the batch opens hosts. */
export const NETWORK: readonly Attack[] = campaign(world, ATTACKS);
