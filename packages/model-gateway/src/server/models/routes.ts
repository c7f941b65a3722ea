import type { ModelApi, ModelUpstream } from "../../gateway.ts";
import { Refusal } from "../refusals.ts";
import { platformRoutes } from "./platform-routes.ts";
import type { ApiRoute } from "./route.ts";

const PAGE = { limit: /^\d{1,4}$/, after: /^[\w.:-]{1,100}$/, after_id: /^[\w.:-]{1,100}$/, before_id: /^[\w.:-]{1,100}$/ };
const CLIENT = { client_version: /^[\w.+-]{1,40}$/ };
const BETA = { beta: /^true$/ };
const MODELS: ApiRoute = { method: "GET", path: /^\/v1\/models(?:\/[A-Za-z0-9][\w.:-]{0,99})?$/, query: { ...PAGE, ...CLIENT } };

const ROUTES: Readonly<Record<ModelApi, readonly ApiRoute[]>> = {
  anthropic: [
    { method: "POST", path: /^\/v1\/messages$/, query: BETA, meter: "messages" },
    { method: "POST", path: /^\/v1\/messages\/count_tokens$/, query: BETA },
    MODELS,
  ],
  openai: [
    { method: "POST", path: /^\/v1\/responses$/, query: {}, meter: "responses" },
    { method: "POST", path: /^\/v1\/chat\/completions$/, query: {}, meter: "chat" },
    MODELS,
  ],
  gemini: [
    {
      method: "POST",
      path: geminiPath("(?:generateContent|streamGenerateContent)"),
      query: { alt: /^(?:sse|json)$/ },
      meter: "generate",
    },
    { method: "POST", path: geminiPath("countTokens"), query: {}, shape: "generate" },
  ],
  // What Gemini CLI asks for with a login. What else it asks for is refused: settings of the account, quotas, telemetry.
  "code-assist": [
    {
      method: "POST",
      path: /^\/v1internal:(?:generateContent|streamGenerateContent)$/,
      query: { alt: /^(?:sse|json)$/ },
      meter: "generate",
      isEnveloped: true,
    },
    { method: "POST", path: /^\/v1internal:countTokens$/, query: {}, shape: "generate", isEnveloped: true },
    { method: "POST", path: /^\/v1internal:loadCodeAssist$/, query: {}, own: "account" },
  ],
};

/** The allowed requests of an API, or of a platform that serves its models. */
export function apiRoutes({ api, platform }: Pick<ModelUpstream, "api" | "platform">): readonly ApiRoute[] {
  return platform === undefined ? ROUTES[api] : platformRoutes(api, platform);
}

/** Google has the model in the path, and the method after a colon. */
function geminiPath(method: string): RegExp {
  return new RegExp(`^/v1(?:beta)?/models/(?<model>[A-Za-z0-9][\\w.-]{0,99}):${method}$`);
}

/**
 * The route of a request, by its method and its target in origin form. Throws a Refusal (403) for anything else: another spelling
 * of an allowed path, an encoded slash, an unknown parameter. The reason repeats no value of a parameter, because it may be a
 * secret.
 */
export function matchRoute(routes: readonly ApiRoute[], method: string, target: string): ApiRoute {
  const [path = "", query, ...more] = target.split("?");
  const route = routes.find((each) => each.method === method && each.path.test(path));
  if (route === undefined) throw new Refusal(403, `${method} ${path} is not open to agents`);
  if (more.length > 0 || !isAllowed(query ?? "", route)) throw new Refusal(403, `a parameter of ${path} is not open to agents`);
  const model = route.path.exec(path)?.groups?.["model"];
  return model === undefined ? route : { ...route, model };
}

/** Parsed by hand: it must decode exactly what the vendor would decode. */
function isAllowed(query: string, route: ApiRoute): boolean {
  if (query === "") return true;
  const names = new Set<string>();
  return query.split("&").every((pair) => {
    const [name = "", value = ""] = pair.split("=");
    const fits = Object.hasOwn(route.query, name) && route.query[name]?.test(value) && pair === `${name}=${value}`;
    const fresh = !names.has(name);
    names.add(name);
    return fits === true && fresh;
  });
}

/** The vendor's path and query: OpenAI's base URL includes the version, the others' do not. */
export function upstreamPath(api: ModelApi, base: URL, target: string): string {
  const prefix = base.pathname.replace(/(?<!\/)\/+$/, "");
  return prefix + (api === "openai" ? target.slice("/v1".length) : target);
}
