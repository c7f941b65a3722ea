import { registerHooks } from "node:module";

// Prints how often Linear's SDK was loaded before the first request to a service, and after it.
let loaded = 0;
registerHooks({
  load(url, context, next) {
    if (url.includes("/@linear/sdk/dist/index.")) loaded += 1;
    return next(url, context);
  },
});
const { createLinearService } = await import("../../../../src/adapters/tracker/linear/linear-service.ts");
const token = { get: async () => "lin_api_x", renew: async () => "lin_api_x" };
const spec = { kind: "linear", team: "ENG", apiUrl: "http://127.0.0.1:9/graphql" } as const;
const service = createLinearService({ spec, token, listed: [], repos: [] });
const before = loaded;
await service.snapshot("whole").catch(() => undefined);
process.stdout.write(`before: ${before}, after: ${loaded}\n`);
