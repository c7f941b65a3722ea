import type { Defence } from "../suite.ts";

const ADDRESS = { in: "HostRules.allowsAddress", from: "return isPublicAddress(plain.host) ||", to: "return true ||" };

export const DEFENCES = {
  hosts: {
    name: "a step reaches the hosts that are named for it and no other, nor an address within this machine",
    holes: [
      {
        in: "HostRules.#matching",
        from: "const matching = this.#rules.filter(",
        to: "const matching = this.#rules.slice(0) ?? this.#rules.filter(",
      },
      ADDRESS,
    ],
  },
  range: {
    name: "a host leads only to the addresses that the batch gives for it",
    holes: [{ in: "HostRules.allowsAddress", from: "return ranges.some(", to: "return true || ranges.some(" }],
  },
  proxy: {
    name: "the password of the machine's proxy stays in the engine",
    holes: [
      { in: "COPIED", from: '"LC_TIME",', to: '"LC_TIME", "HTTPS_PROXY",' },
      { in: "environment", from: '["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"]', to: '["HTTP_PROXY"]' },
    ],
  },
  model: {
    name: "a cloud is asked for the model of the batch and no other",
    holes: [
      {
        in: "spellings",
        from: '.map((name) => escapeRegExp(name)).join("|")',
        to: '.map((name) => (name === "" ? escapeRegExp(name) : "[^/]+")).join("|")',
      },
    ],
  },
  bodyModel: {
    name: "a cloud counts tokens of the model of the batch and no other",
    holes: [
      {
        in: "requestedModel",
        from: "bodyModel !== undefined && model !== bodyModel",
        to: 'bodyModel === "" && model !== bodyModel',
      },
    ],
  },
  project: {
    name: "a cloud is asked with the project and region of the batch",
    holes: [
      {
        in: "projectPath",
        from: "escapeRegExp(project)",
        to: '(project === "" ? "" : "[^/]+")',
      },
    ],
  },
  vendorTools: {
    name: "a model's vendor runs no tools, on a cloud too",
    holes: [
      {
        in: "adjust",
        from: 'vendorReach || body["tools"] === undefined',
        to: 'true || vendorReach || body["tools"] === undefined',
      },
    ],
  },
  wrapped: {
    name: "a request within a request passes the same checks",
    holes: [
      {
        in: "readModelRequest",
        from: "return rewrapped(bytes, (request) => readModelRequest(request, { ...options, route: inner }));",
        to: "return rewrapped(bytes, (request) => readModelRequest(request, { vendorReach: true, route: inner }));",
      },
    ],
  },
  address: { name: "a named host that leads into this machine leads nowhere", holes: [ADDRESS] },
} as const satisfies Record<string, Defence>;
