import type { Defence } from "../suite.ts";

const RULES = "src/adapters/gateway/hosts/host-rules.ts";
const REQUEST = "src/adapters/gateway/models/model-request.ts";
const ADDRESS = { file: RULES, from: "return isPublicAddress(plain.host) ||", to: "return true ||" };

export const DEFENCES = {
  hosts: {
    name: "a step reaches the hosts that are named for it and no other, nor an address within this machine",
    holes: [
      {
        file: RULES,
        from: "const matching = this.#rules.filter(",
        to: "const matching = this.#rules.slice(0) ?? this.#rules.filter(",
      },
      ADDRESS,
    ],
  },
  range: {
    name: "a host leads only to the addresses that the batch gives for it",
    holes: [{ file: RULES, from: "return ranges.some(", to: "return true || ranges.some(" }],
  },
  proxy: {
    name: "the password of the machine's proxy stays in the engine",
    holes: [
      { file: "src/adapters/executor/environment.ts", from: '"LC_TIME",', to: '"LC_TIME", "HTTPS_PROXY",' },
      { file: "src/cli/relay.ts", from: '["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"]', to: '["HTTP_PROXY"]' },
    ],
  },
  model: {
    name: "a cloud is asked for the model of the batch and no other",
    holes: [
      {
        file: "src/adapters/gateway/models/platform-routes.ts",
        from: '.map((name) => escapeRegExp(name)).join("|")',
        to: '.map((name) => (name === "" ? escapeRegExp(name) : "[^/]+")).join("|")',
      },
    ],
  },
  bodyModel: {
    name: "a cloud counts tokens of the model of the batch and no other",
    holes: [
      { file: REQUEST, from: "bodyModel !== undefined && model !== bodyModel", to: 'bodyModel === "" && model !== bodyModel' },
    ],
  },
  project: {
    name: "a cloud is asked with the project and region of the batch",
    holes: [
      {
        file: "src/adapters/gateway/models/platform-routes.ts",
        from: "escapeRegExp(project)",
        to: '(project === "" ? "" : "[^/]+")',
      },
    ],
  },
  vendorTools: {
    name: "a model's vendor runs no tools, on a cloud too",
    holes: [
      {
        file: REQUEST,
        from: 'vendorReach || body["tools"] === undefined',
        to: 'true || vendorReach || body["tools"] === undefined',
      },
    ],
  },
  wrapped: {
    name: "a request within a request passes the same checks",
    holes: [
      {
        file: REQUEST,
        from: "return rewrapped(bytes, (request) => readModelRequest(request, { ...options, route: inner }));",
        to: "return rewrapped(bytes, (request) => readModelRequest(request, { vendorReach: true, route: inner }));",
      },
    ],
  },
  address: { name: "a named host that leads into this machine leads nowhere", holes: [ADDRESS] },
} as const satisfies Record<string, Defence>;
