import type { Defence } from "../suite.ts";

const RULES = "src/adapters/gateway/hosts/host-rules.ts";
const ADDRESS = { file: RULES, from: "return isPublicAddress(plain.host) ||", to: "return true ||" };

export const DEFENCES = {
  hosts: {
    name: "a step reaches the hosts that are named for it and no other, nor an address within this machine",
    holes: [
      {
        file: RULES,
        from: "return this.#rules.some((rule) => rule.port === port && (rule.below",
        to: "return true || this.#rules.some((rule) => rule.port === port && (rule.below",
      },
      ADDRESS,
    ],
  },
  address: { name: "a named host that leads into this machine leads nowhere", holes: [ADDRESS] },
} as const satisfies Record<string, Defence>;
