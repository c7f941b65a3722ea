import type { Defence } from "../suite.ts";

const CONFINE = "src/loop/confine.ts";
const BUBBLEWRAP = "src/adapters/sandbox/bubblewrap.ts";

/** Where an agent and a judged command are given their walls. Design P5; without either all else is text on a wall. */
const AGENT = "if (!ctx.confined) return undefined;\n  const { write, read, mounts }";
const JUDGE = "return withPolicy(ctx, { read, write, sockets: [], ...own, mounts: [...mounts, ...own.mounts] });";

export const DEFENCES = {
  agent: {
    name: "an agent runs in the sandbox",
    holes: [{ file: CONFINE, from: AGENT, to: "return undefined; const { write, read, mounts }" }],
  },
  judged: {
    name: "what judges, and what makes ready what is judged, runs in the sandbox",
    holes: [{ file: CONFINE, from: JUDGE, to: "return void ({ read, write, mounts, own });" }],
  },
  swapped: {
    name: "an agent runs in the sandbox, and a link in the place of its worktree is not looked into",
    holes: [
      { file: CONFINE, from: AGENT, to: "return undefined; const { write, read, mounts }" },
      { file: "src/adapters/vcs/capture.ts", from: "if (found?.isDirectory() !== true)", to: "if (found === undefined)" },
    ],
  },
  logins: {
    name: "logins in a home stay hidden whatever the batch opens around them",
    holes: [
      {
        file: "src/adapters/sandbox/places.ts",
        from: "return homes.flatMap((home) => SECRETS.flatMap(",
        to: "return [].flatMap((home) => SECRETS.flatMap(",
      },
    ],
  },
  sockets: {
    name: "a socket in a folder that is opened is masked",
    holes: [{ file: BUBBLEWRAP, from: "...openSockets()", to: "...openSockets().slice(0, 0)" }],
  },
  environment: {
    name: "an agent's environment is an allow-list",
    holes: [
      {
        file: "src/adapters/executor/environment.ts",
        from: '["PATH", absoluteOnly(own(from, "PATH"))],',
        to: '...Object.entries(from), ["PATH", absoluteOnly(own(from, "PATH"))],',
      },
    ],
  },
} as const satisfies Record<string, Defence>;
