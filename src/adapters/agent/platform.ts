import type { ModelPlatform, Price, Rates } from "@loopdash/model-gateway";
import type { PlatformSpec } from "../../domain/batch/platform-spec.ts";

/** The platform for a gateway, which opens one model of it. */
export function gatewayPlatform(platform: PlatformSpec, model: string): ModelPlatform {
  if (platform.kind === "bedrock") return { kind: "bedrock", model };
  return { kind: "vertex", project: platform.project, region: platform.region, model };
}

/**
 * Bedrock and Vertex take a tenth more for Anthropic's models in one region or area than worldwide
 * (platform.claude.com/docs/en/about-claude/pricing, "Third-party platform pricing"). Models before 4.5 cost the same everywhere,
 * and are counted too high.
 */
const REGIONAL = 1.1;

/** A vendor's prices under the names that a platform has for its models. */
export function pricesOn(platform: PlatformSpec, prices: readonly Price[]): readonly Price[] {
  if (platform.kind === "vertex") {
    const isDearer = platform.region !== "global";
    return prices.map((price) => (isDearer && price.model.startsWith("claude-") ? scaled(price, REGIONAL) : price));
  }
  // The requested id has the maker in front, and the area of a profile before it. The answer names the model alone.
  return prices.flatMap((price) => [
    { ...price, model: `global.anthropic.${price.model}` },
    { ...price, model: `arn:*/global.anthropic.${price.model}` },
    { ...scaled(price, REGIONAL), model: `anthropic.${price.model}` },
    { ...scaled(price, REGIONAL), model: `*.anthropic.${price.model}` },
    { ...scaled(price, REGIONAL), model: `arn:*/anthropic.${price.model}` },
    price,
  ]);
}

function scaled({ long, ...price }: Price, factor: number): Price {
  return { ...price, ...scaledRates(price, factor), long: long && { ...long, ...scaledRates(long, factor) } };
}

function scaledRates({ input, output, cacheRead, cacheWrite, cacheWriteHour }: Rates, factor: number): Rates {
  return {
    input: input * factor,
    output: output * factor,
    cacheRead: cacheRead * factor,
    cacheWrite: cacheWrite * factor,
    ...(cacheWriteHour === undefined ? {} : { cacheWriteHour: cacheWriteHour * factor }),
  };
}
