import { parseJson } from "@loopdash/values";
import { z } from "zod";
import type { TicketId } from "../../domain/values/ids.ts";
import type { ServicePlace } from "../../ports/oracle.ts";
import { DOCUMENTS, PAGE } from "./service-documents.ts";
import { askService, type ServiceAccess } from "./service-line.ts";
import { NoListing } from "./tracker-listing.ts";

const Node = z.record(z.string(), z.json()).nullable();
const Answer = z.strictObject({
  data: z.union([z.strictObject({ issues: z.object({ nodes: z.array(Node) }) }), z.strictObject({ nodes: z.array(Node) })]),
  extensions: z.unknown().optional(),
});

/**
 * The issues of these tickets as the service answers the oracle's own document, as one JSON text `{nodes}`: what a copy of the
 * tracker is made of. Throws a NoListing.
 */
export async function readNodes(
  { kind, keys }: ServicePlace,
  tickets: readonly TicketId[],
  { access, signal }: { readonly access: ServiceAccess; readonly signal: AbortSignal | undefined },
): Promise<string> {
  const wanted = tickets.flatMap((id) => keys[id] ?? []);
  const nodes: z.infer<typeof Node>[] = [];
  for (let at = 0; at < wanted.length; at += PAGE[kind]) {
    const request = JSON.stringify({ document: DOCUMENTS[kind], ids: wanted.slice(at, at + PAGE[kind]) });
    const answer = await askService({ kind, access }, request, signal);
    if ("problem" in answer) throw new NoListing(answer.problem);
    if (answer.status !== 200) throw new NoListing(`the tracker answered ${answer.status}`);
    const read = Answer.safeParse(parseJson(answer.body));
    if (!read.success) throw new NoListing("the tracker's answer has errors, or is not whole");
    const { data } = read.data;
    nodes.push(...("issues" in data ? data.issues.nodes : data.nodes));
  }
  return JSON.stringify({ nodes });
}
