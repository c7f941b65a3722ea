import type { Defence } from "../suite.ts";

const RULES = "src/adapters/gateway/hosts/host-rules.ts";
const ADDRESS = { file: RULES, from: "return isPublicAddress(plain.host) ||", to: "return true ||" };

export const DEFENCES = {
  hosts: {
    name: "a step reaches the hosts that are named for it and no other, nor an address within this machine",
    holes: [
      {
        file: RULES,
        from: "return this.#rules.filter(",
        to: "return this.#rules.slice(0) ?? this.#rules.filter(",
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
  address: { name: "a named host that leads into this machine leads nowhere", holes: [ADDRESS] },
} as const satisfies Record<string, Defence>;
