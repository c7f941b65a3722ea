import { z } from "zod";

const BedrockRegion = z
  .string()
  .regex(/^[a-z]{2}(?:-[a-z]+){1,3}-\d$/, 'use the name of an AWS region, such as "eu-central-1"')
  .describe("The AWS region");

const VertexRegion = z
  .string()
  .regex(/^(?:global|us|eu|[a-z]+-[a-z]+\d{1,2})$/, 'use the name of a Google Cloud region, such as "europe-west1", or "global"')
  .describe("The Google Cloud region");

const Project = z
  .string()
  .regex(/^(?:[a-z][a-z0-9-]{4,28}[a-z0-9]|\d{6,20})$/, "use the id or the number of a Google Cloud project")
  .describe("The Google Cloud project");

/** A cloud that serves a vendor's models under paths of its own. */
export const PlatformSpec = z
  .discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("bedrock").describe("Amazon Bedrock"), region: BedrockRegion }),
    z.strictObject({ kind: z.literal("vertex").describe("Google Vertex AI"), project: Project, region: VertexRegion }),
  ])
  .describe("The cloud that serves the model; default: the vendor's own API, or one like it");
export type PlatformSpec = z.infer<typeof PlatformSpec>;

/** The public address of a platform's API. */
export function platformUrl(platform: PlatformSpec): string {
  const { kind, region } = platform;
  if (kind === "bedrock") return `https://bedrock-runtime.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
  if (region === "global") return "https://aiplatform.googleapis.com";
  if (region === "us" || region === "eu") return `https://aiplatform.${region}.rep.googleapis.com`;
  return `https://${region}-aiplatform.googleapis.com`;
}

/** A platform in words. */
export function platformName({ kind, region }: PlatformSpec): string {
  return `${kind === "bedrock" ? "Bedrock" : "Vertex"} in ${region}`;
}

/** The id of a model at a platform: without the end by which Claude Code asks for a long context (`…[1m]`). */
export function platformModel(model: string): string {
  return model.replace(/\[\w+\]$/, "");
}

/** The reason why a platform cannot have a model of this name; undefined if it may have one. */
export function unfitForPlatform(platform: PlatformSpec, model: string): string | undefined {
  // All ids have a digit. A program's own short names have none.
  if (!/^(?=\D*\d)[\w.:/@-]+$/.test(platformModel(model))) return "is not the id of a model";
  const [, region] = /^arn:[\w-]+:bedrock:([\w-]*):/.exec(model) ?? [];
  if (region !== undefined && platform.region !== region) return `is an ARN of the region "${region}"`;
  return undefined;
}
