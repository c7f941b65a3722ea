import type { Defence } from "../suite.ts";

/** As in the family `escape`: where an agent is given its walls. */
const UNCONFINED = {
  in: "confineAgent",
  from: "if (!ctx.confined) return undefined; const { write, read, mounts }",
  to: "return undefined; const { write, read, mounts }",
};

/** What reads a worker's leftovers runs where it sees everything. */
export const UNGUARDED = {
  in: "startShell",
  from: "if (store.sandbox === undefined) return open;",
  to: "if (store !== undefined) return open;",
};

export const DEFENCES = {
  sandbox: { name: "an agent's git writes nothing of the repository but its own branch and worktree", holes: [UNCONFINED] },
  symbolic: {
    name: "an agent's branch is its own file, and one that means another branch is not followed",
    holes: [UNCONFINED, { in: "tryMoveRef", from: 'move.follow === true ? "" : "option no-deref\\n"', to: '""' }],
  },
  checked: {
    name: "each object of an agent is checked as fsck does before it is taken",
    holes: [{ in: "PACK", from: "--fix-thin --strict", to: "--fix-thin" }],
  },
  anew: {
    name: "objects of an agent are packed and unpacked again, none is taken over as a file",
    holes: [
      {
        in: "takeCommits",
        from: 'const call = store.contentCall(["pack-objects"], {',
        to: `await (await import("node:fs/promises")).cp(objects, store.at.objects, { recursive: true, force: true });
          if (objects !== "") return;
          const call = store.contentCall(["pack-objects"], {`,
      },
    ],
  },
  alternates: {
    name: "a list of further object folders that an agent wrote is not read",
    holes: [{ in: "leftoverObjects", from: 'await ifThere(rename(join(objects, "info"), aside));', to: "" }, UNGUARDED],
  },
  links: {
    name: "links among an agent's objects are not followed",
    holes: [{ in: "refuseOddFiles", from: "else if (!entry.isFile()) throw", to: "else if (entry === null) throw" }, UNGUARDED],
  },
  filters: {
    name: "what reads and writes files knows no program of the repository's configuration",
    holes: [
      {
        in: "gitEnvironment",
        from: "...(call.person ?? NO_SETTINGS),",
        to: '...(call.person ?? NO_SETTINGS), GIT_CONFIG_GLOBAL: (call.borrowed?.[0] ?? call.objects)?.replace(/objects$/, "config") ?? "/dev/null",',
      },
      UNGUARDED,
    ],
  },
  hooks: {
    name: "no git of loopdash runs a hook",
    holes: [{ in: "SAFE", from: '["core.hooksPath", "/dev/null"],', to: "" }],
  },
  squashed: {
    name: "what lands is one commit of loopdash's own, whatever the agent's history says",
    holes: [
      {
        in: "buildCandidate",
        from: "commit: await writeCandidate(store, { tree, parent: base, ...options })",
        to: "commit: tip",
      },
    ],
  },
  inert: {
    name: "a ticket's text closes no issue and skips no CI where it lands",
    holes: [
      {
        in: "inert",
        from: 'text.replace(SKIPS, "($1)").replace(closes, CLOSES_NOTHING)',
        to: "text",
      },
    ],
  },
  submodules: {
    name: "a change of submodules is seen as one, and refused",
    holes: [{ in: "changedPath", from: 'before === "160000" || after === "160000" || isModules(path);', to: "false;" }],
  },
  names: {
    name: "names that another system takes for .git are refused",
    holes: [{ in: "SAFE", from: '["core.protectHFS", "true"],', to: "" }],
  },
  embedded: {
    name: "no git is started within a repository that an agent made in its worktree",
    holes: [
      {
        in: "lookAround",
        from: '"--ignore-submodules=dirty", "--no-renames"',
        to: '"--ignore-submodules=none", "--no-renames"',
      },
      UNGUARDED,
    ],
  },
} as const satisfies Record<string, Defence>;
