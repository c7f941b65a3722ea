import type { Defence } from "../suite.ts";

const NO_OVERLAYS = {
  in: "tryOut",
  from: 'await canOverlay(["/usr"])',
  to: 'await canOverlay(["/usr/nowhere"])',
};

/** Where an agent and a judged command are given their walls. Design P5; without either all else is text on a wall. */
const AGENT = "if (!ctx.confined) return undefined; const { write, read, mounts }";
const JUDGE = "return withPolicy(ctx, { read, write, sockets: [], ...own, mounts: [...mounts, ...own.mounts] });";

export const DEFENCES = {
  agent: {
    name: "an agent runs in the sandbox",
    holes: [
      {
        in: "confineAgent",
        from: AGENT,
        to: "return undefined; const { write, read, mounts }",
      },
    ],
  },
  judged: {
    name: "what judges, and what makes ready what is judged, runs in the sandbox",
    holes: [{ in: "confineCommand", from: JUDGE, to: "return void ({ read, write, mounts, own });" }],
  },
  swapped: {
    name: "an agent runs in the sandbox, and a link in the place of its worktree is not looked into",
    holes: [
      {
        in: "confineAgent",
        from: AGENT,
        to: "return undefined; const { write, read, mounts }",
      },
      { in: "captureFound", from: "if (found?.isDirectory() !== true)", to: "if (found === undefined)" },
    ],
  },
  logins: {
    name: "logins in a home stay hidden whatever the batch opens around them",
    holes: [
      {
        in: "secretsIn",
        from: "return homes.flatMap((home) => SECRETS.flatMap(",
        to: "return [].flatMap((home) => SECRETS.flatMap(",
      },
    ],
  },
  sockets: {
    name: "a socket in a folder that is opened is nobody's, and is masked where there are no overlays",
    holes: [NO_OVERLAYS, { in: "aroundIt", from: "closed(openSockets()", to: "closed(openSockets().slice(0, 0)" }],
  },
  overlays: { name: "what is only read is shown by overlays, whose inodes are their own", holes: [NO_OVERLAYS] },
  filter: {
    name: "leases are refused by the filter, and what is only read is shown by overlays",
    holes: [NO_OVERLAYS, { in: "seccompFilter", from: "refusing(HOLDS)", to: "refusing([])" }],
  },
  watching: {
    name: "a sandbox has only a share of the user's instances of inotify",
    holes: [
      {
        in: "outerNamespace",
        from: `echo \${instances} >/proc/sys/user/max_inotify_instances; echo`,
        to: "echo",
      },
    ],
  },
  environment: {
    name: "an agent's environment is an allow-list",
    holes: [
      {
        in: "allowedEnvironment",
        from: '["PATH", absoluteOnly(own(from, "PATH"))],',
        to: '...Object.entries(from), ["PATH", absoluteOnly(own(from, "PATH"))],',
      },
    ],
  },
} as const satisfies Record<string, Defence>;
