import { SecretUnavailable } from "@loopdash/model-gateway";
import { GITHUB_API } from "../../adapters/github/client.ts";
import type { ServiceAccess } from "../../adapters/oracle/service-line.ts";
import { withoutNetwork } from "../../adapters/sandbox/without-network.ts";
import { createGitHubService } from "../../adapters/tracker/github/github-service.ts";
import { listRepositories } from "../../adapters/tracker/github/repositories.ts";
import { LINEAR_API } from "../../adapters/tracker/linear/client/requests.ts";
import { authorizationHeader } from "../../adapters/tracker/linear/client/send.ts";
import { createLinearService } from "../../adapters/tracker/linear/linear-service.ts";
import { openWebhook } from "../../adapters/tracker/webhook/open-webhook.ts";
import { openStandIn } from "../../adapters/tripwire/service-stand-in.ts";
import type { TrackerRequest } from "../../domain/batch/read.ts";
import { type ServiceSpec, TOKEN_OF } from "../../domain/batch/tracker-spec.ts";
import { RepoId, type TicketId } from "../../domain/values/ids.ts";
import type { OutsideTracker, TrackerSurroundings } from "./outside-tracker.ts";
import { secretsOf } from "./run-secrets.ts";

/** Linear or GitHub, as a batch names it. */
export function serviceTrackerOf(
  request: TrackerRequest & { readonly tracker: ServiceSpec },
  { folder, env }: TrackerSurroundings,
): OutsideTracker {
  const { tracker: spec, listed } = request;
  const secrets = secretsOf(request, { folder, env });
  const secretOf = (name: string) => async () => (await secrets?.secrets.get(name)) ?? noSecret(name);
  const tokenOf = (name: string) => ({
    get: async () => fitForHeader(name, await secretOf(name)()),
    renew: async (refused: string) => fitForHeader(name, (await secrets?.secrets.renew(name, refused)) ?? noSecret(name)),
  });
  const token = tokenOf(spec.token ?? TOKEN_OF[spec.kind].secret);
  const forOracle = spec.oracleToken === undefined ? token : tokenOf(spec.oracleToken);
  const repos = Object.keys(request.repos).map((id) => RepoId.parse(id));
  const newService = (tickets: readonly TicketId[], repoIds: Readonly<Record<string, string>> = {}) =>
    spec.kind === "linear"
      ? createLinearService({ spec, listed: tickets, repos, token })
      : createGitHubService({ spec, listed: tickets, repos, token, repoIds });
  const service = newService(listed);
  let lastRead = service;
  const serviceOf: OutsideTracker["serviceOf"] = (tickets, place) => {
    const repoIds = place !== undefined && "keys" in place ? place.repoIds : undefined;
    const isSame = Object.entries(repoIds ?? {}).every(([name, id]) => lastRead.repoIds?.().get(name) === id);
    // A name may stand for another repository by now than when the run began.
    return (isSame ? lastRead.handOver?.(tickets) : undefined) ?? { service: newService(tickets, repoIds) };
  };
  const access: ServiceAccess = {
    url: graphqlOf(spec),
    authorization: async (refused) => {
      const value = refused === undefined ? await forOracle.get() : await forOracle.renew(tokenIn(refused));
      return spec.kind === "linear" ? authorizationHeader(value) : `Bearer ${value}`;
    },
  };
  return {
    service,
    serviceOf,
    freeze: async (tickets) => {
      if (!tickets.every((id) => lastRead.keys?.().has(id))) {
        // The query selects some of them no more: they are closed, for example.
        lastRead = newService(tickets);
        await lastRead.snapshot("whole");
      }
      const keys = lastRead.keys?.() ?? new Map<TicketId, string>();
      const own = tickets.flatMap((id) => (keys.has(id) ? [[id, keys.get(id)]] : []));
      const repoIds = lastRead.repoIds && { repoIds: Object.fromEntries(lastRead.repoIds()) };
      const common = { canceled: spec.canceled ?? "open", keys: Object.fromEntries(own), repos: namesOf(spec) };
      return { kind: spec.kind, ...common, ...repoIds };
    },
    oracleAccess: {
      service: {
        access,
        openStandIn: async (place) => standInFor(await openStandIn(place)),
        withoutNetwork: withoutNetwork(env["PATH"] ?? "/usr/bin:/bin"),
      },
    },
    ...webhookOf(spec, secretOf),
    // A request ends with its engine.
    endLeft: () => Promise.resolve(),
    secrets,
  };
}

/** The webhook of a tracker: whoever watches is called once something may have changed. */
function webhookOf(
  { kind, webhook }: ServiceSpec,
  secretOf: (name: string) => () => Promise<string>,
): Pick<OutsideTracker, "watch" | "listen"> {
  if (webhook === undefined) return {};
  const watchers = new Set<() => void>();
  const changed = () => {
    for (const watcher of watchers) watcher();
  };
  return {
    watch: (watcher) => {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    listen: () => openWebhook({ port: webhook.port, kind, secret: secretOf(webhook.secret), changed }),
  };
}

function noSecret(name: string): never {
  throw new SecretUnavailable(`the batch has no secret "${name}"`);
}

/** A token that a header can carry. Of one that it cannot, `fetch` would quote the whole in its error. */
function fitForHeader(name: string, token: string): string {
  if (/^[!-~]+$/.test(token)) return token;
  throw new SecretUnavailable(`the secret "${name}" is no token: it has a blank, a line end or a letter that is not ASCII`);
}

function standInFor({ url, close }: Awaited<ReturnType<typeof openStandIn>>) {
  return { access: { url, authorization: () => Promise.resolve("Bearer canary") }, close };
}

/** GitHub Enterprise has its REST API below /api/v3, and GraphQL beside that. */
function graphqlOf(spec: ServiceSpec): string {
  if (spec.kind === "linear") return spec.apiUrl ?? LINEAR_API;
  const base = (spec.baseUrl ?? GITHUB_API).replace(/(?<!\/)\/+$/, "");
  return base.endsWith("/api/v3") ? `${base.slice(0, -"/v3".length)}/graphql` : `${base}/graphql`;
}

function tokenIn(header: string): string {
  return header.replace(/^Bearer /, "");
}

/** The repositories by the names that begin their tickets' ids. */
function namesOf(spec: ServiceSpec): Readonly<Record<string, string>> {
  if (spec.kind === "linear") return {};
  return Object.fromEntries(listRepositories(spec).map(({ owner, name, prefix }) => [prefix, `${owner}/${name}`]));
}
