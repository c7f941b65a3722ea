import type { ServerResponse } from "node:http";
import { bedrockChunk } from "../../packages/model-gateway/test/aws-event-stream.ts";
import { type StandIn, standIn } from "../../packages/model-gateway/test/stage.ts";
import { geminiStandIn, messageEvents, play, type Script, type Turn } from "./stand-in.ts";

type Body = { readonly messages?: readonly { readonly role: string }[]; readonly tools?: readonly unknown[] };

/** The scripted turn for a request of Anthropic's Messages; one without tools is beside the work. */
function turnFor(script: Script, body: string): Turn {
  const asked: Body = JSON.parse(body);
  const turn = (asked.messages ?? []).filter(({ role }) => role === "assistant").length;
  return (asked.tools ?? []).length === 0 ? { say: "ok" } : script(turn, body);
}

/** Bedrock's runtime on loopback, with Anthropic's models. */
export function bedrockStandIn(script: Script): Promise<StandIn> {
  return standIn((_req, res, { method, url, body }) => {
    if (method !== "POST" || !/^\/model\/[\w.:%-]+\/invoke-with-response-stream$/.test(url))
      return fail(res, 404, "no such route");
    const turn = turnFor(script, body);
    if ("status" in turn) return fail(res, turn.status, turn.error);
    if ("as" in turn) return void res.destroy();
    const events = messageEvents(turn);
    res.writeHead(200, {
      "content-type": "application/vnd.amazon.eventstream",
      "x-amzn-bedrock-content-type": "application/json",
    });
    for (const event of events) res.write(bedrockChunk(event));
    res.end();
  });
}

/** Anthropic's models at Vertex, on loopback. */
export function claudeOnVertexStandIn(script: Script): Promise<StandIn> {
  const path = /^\/v1\/projects\/[\w-]+\/locations\/[\w-]+\/publishers\/anthropic\/models\/[\w@.-]+:streamRawPredict$/;
  return standIn((_req, res, { method, url, body }) => {
    if (method !== "POST" || !path.test(url)) return fail(res, 404, "no such route");
    play(res, turnFor(script, body));
  });
}

/** Google's models at Vertex, on loopback. */
export function geminiOnVertexStandIn(script: Script): Promise<StandIn> {
  return geminiStandIn(
    script,
    /^\/v1beta1\/projects\/[\w-]+\/locations\/[\w-]+\/publishers\/google\/models\/([\w.-]+):(\w+)(?:\?alt=sse)?$/,
  );
}

function fail(res: ServerResponse, status: number, message: string): void {
  res.writeHead(status, { "content-type": "application/json" });
  res.end(JSON.stringify({ message }));
}
