import type { ModelApi, ModelPlatform } from "../../gateway.ts";
import type { ApiRoute } from "./route.ts";

/**
 * The allowed requests of a platform: to one model, of one project and region. The path must have their names as they are, or
 * percent-encoded as JavaScript does it.
 */
export function platformRoutes(api: ModelApi, platform: ModelPlatform): readonly ApiRoute[] {
  if (api === "anthropic" && platform.kind === "bedrock") return bedrockRoutes(platform);
  if (api === "anthropic" && platform.kind === "vertex") return claudeOnVertexRoutes(platform);
  if (api === "gemini" && platform.kind === "vertex") return geminiOnVertexRoutes(platform);
  throw new TypeError(`${platform.kind} does not serve the API ${api}`);
}

type PlatformOf<Kind extends ModelPlatform["kind"]> = Extract<ModelPlatform, { kind: Kind }>;

/** Bedrock's InvokeModel, InvokeModelWithResponseStream and CountTokens (its API reference). The region is that of the host. */
function bedrockRoutes({ model }: PlatformOf<"bedrock">): readonly ApiRoute[] {
  const post = { method: "POST", query: {} } as const;
  const metered = { ...post, model, meter: "messages" } as const;
  return [
    { ...metered, path: new RegExp(`^/model/${spellings(model)}/(?:invoke|invoke-with-response-stream)$`) },
    { ...post, model, isWrapped: true, path: new RegExp(`^/model/${spellings(model, withoutArea(model))}/count-tokens$`) },
  ];
}

/** The name of the model behind an inference profile: only a model's own name can be counted with. */
function withoutArea(model: string): string {
  return model.replace(/^[a-z-]+\.(?=anthropic\.)/, "");
}

/** Anthropic's models at Vertex: the body is that of Messages, the path has the model. */
function claudeOnVertexRoutes(platform: PlatformOf<"vertex">): readonly ApiRoute[] {
  const models = `${projectPath(platform)}/publishers/anthropic/models`;
  const { model } = platform;
  const post = { method: "POST", query: {} } as const;
  return [
    {
      ...{ ...post, model, meter: "messages" },
      path: new RegExp(`^/v1${models}/${spellings(model)}:(?:rawPredict|streamRawPredict)$`),
    },
    { ...post, bodyModel: model, path: new RegExp(`^/v1${models}/count-tokens:rawPredict$`) },
  ];
}

function geminiOnVertexRoutes(platform: PlatformOf<"vertex">): readonly ApiRoute[] {
  const { model } = platform;
  const path = (method: string) =>
    new RegExp(`^/v1(?:beta1)?${projectPath(platform)}/publishers/google/models/${spellings(model)}:${method}$`);
  return [
    {
      ...{ method: "POST", model, meter: "generate", query: { alt: /^(?:sse|json)$/ } },
      path: path("(?:generateContent|streamGenerateContent)"),
    },
    { method: "POST", model, path: path("countTokens"), query: {}, shape: "generate" },
  ];
}

function projectPath({ project, region }: PlatformOf<"vertex">): string {
  return `/projects/${escapeRegExp(project)}/locations/${escapeRegExp(region)}`;
}

/** A pattern for names in a path: in each, either only the slashes are encoded, or all that JavaScript encodes. */
function spellings(...names: readonly string[]): string {
  const written = names.flatMap((name) => [name.replaceAll("/", "%2F"), encodeURIComponent(name)]);
  return `(?:${[...new Set(written)].map((name) => escapeRegExp(name)).join("|")})`;
}

function escapeRegExp(text: string): string {
  return text.replace(/[^\w-]/g, "\\$&");
}
