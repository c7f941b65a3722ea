/**
 * Stands in for an agent's program, behind the relay: sends the same requests to the vendor directly and through the gateway, in
 * turn, and prints the times. `node bench/gateway-client.ts <vendor's base URL> <rounds>`; the gateway's is in `GATEWAY`.
 */
import { Agent, request } from "node:http";
import { median, quantile } from "./stats.ts";
import type { AnswerOptions } from "./vendor.ts";

/** Milliseconds of one kind of request. */
export interface Times {
  readonly direct: number;
  readonly gated: number;
  readonly directP95: number;
  readonly gatedP95: number;
}

interface Kind {
  readonly name: string;
  readonly body: Buffer;
  /** The measured part: the whole answer, or the median delay of one event. */
  readonly of: "answer" | "event";
}

const KIB = 1024;

/** A request like an agent's program's: instructions, tools, and a conversation that grows by some hundred bytes at a time. */
function bodyOf(bytes: number, metadata: AnswerOptions): Buffer {
  const tool = { name: "bash", description: "Runs a command. ".repeat(20), input_schema: { type: "object", properties: {} } };
  const turn = (i: number): object => ({
    role: i % 2 === 0 ? "user" : "assistant",
    content: [{ type: "text", text: `line ${i} of a file that was read\n`.repeat(12) }],
  });
  const messages: object[] = [turn(0)];
  const whole = (): Buffer =>
    Buffer.from(JSON.stringify({ model: "bench-1", max_tokens: 1_000, stream: true, metadata, tools: [tool], messages }));
  while (whole().length < bytes) messages.push(turn(messages.length));
  return whole();
}

const KINDS: readonly Kind[] = [
  ...[1, 50, 200].map((kib): Kind => ({ name: `request ${kib}`, body: bodyOf(kib * KIB, { bytes: 500 }), of: "answer" })),
  ...[50, 200].map((kib): Kind => ({ name: `answer ${kib}`, body: bodyOf(KIB, { bytes: kib * KIB }), of: "answer" })),
  { name: "stream", body: bodyOf(KIB, { events: 200, paceMs: 0 }), of: "answer" },
  { name: "event", body: bodyOf(KIB, { events: 50, paceMs: 2 }), of: "event" },
];

const agents = { direct: new Agent({ keepAlive: true }), gated: new Agent({ keepAlive: true }) };

/** Milliseconds from the first byte of the request to the last one of the answer, or the delays of its events. */
function ask(base: string, agent: Agent, { body, of }: Kind): Promise<number> {
  return new Promise((settle, reject) => {
    const ways: number[] = [];
    const begun = performance.now();
    const headers = { "content-type": "application/json", "content-length": body.length };
    const out = request(`${base}/v1/messages`, { method: "POST", agent, headers }, (res) => {
      if (res.statusCode !== 200) return reject(new Error(`status ${res.statusCode}`));
      res.on("data", (chunk: Buffer) => {
        if (of === "answer") return;
        const now = Number(process.hrtime.bigint());
        for (const [, at] of chunk.toString("latin1").matchAll(/"at":(\d+)/g)) ways.push((now - Number(at)) / 1e6);
      });
      res.on("end", () => settle(of === "answer" ? performance.now() - begun : median(ways)));
    });
    out.on("error", reject);
    out.end(body);
  });
}

interface Samples {
  readonly direct: number[];
  readonly gated: number[];
}

/** Measures both ways, in alternating order. */
async function round(kind: Kind, base: Readonly<Record<keyof Samples, string>>, into: Samples, at: number): Promise<void> {
  for (const way of at % 2 === 0 ? (["direct", "gated"] as const) : (["gated", "direct"] as const))
    into[way].push(await ask(base[way], agents[way], kind));
}

async function main(direct: string, gated: string, rounds: number): Promise<Readonly<Record<string, Times>>> {
  const all = KINDS.map((kind) => ({ kind, direct: [] as number[], gated: [] as number[] }));
  // The first rounds run cold code everywhere; they are not counted.
  const warm = Math.ceil(rounds / 4);
  for (let at = 0; at < warm + rounds; at += 1) for (const each of all) await round(each.kind, { direct, gated }, each, at);
  const times = all.map((each): [string, Times] => {
    const [of, through] = [each.direct.slice(warm), each.gated.slice(warm)];
    const p95 = { directP95: quantile(of, 0.95), gatedP95: quantile(through, 0.95) };
    return [each.kind.name, { direct: median(of), gated: median(through), ...p95 }];
  });
  return Object.fromEntries(times);
}

if (import.meta.main) {
  const [, , direct = "", rounds = ""] = process.argv;
  console.log(JSON.stringify(await main(direct, process.env["GATEWAY"] ?? "", Number(rounds))));
  process.exit(0);
}
