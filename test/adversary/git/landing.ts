import { existsSync } from "node:fs";
import type { Aftermath, TicketAttack } from "../campaign.ts";
import { SHELL } from "../escape/hands.ts";
import { DEFENCES } from "./defences.ts";
import { ranElsewhere } from "./repository.ts";

const repoOf = (ticket: string): string => ticket.toLowerCase();
const LANDED = /merge-landed/;
const SUBMODULE = /submodule or nested repository/;

/** An attack by what an agent's commits say, which must not be what lands. */
function speaks(id: string, what: string, script: string, format: string, mark: string): TicketAttack {
  return {
    id,
    what,
    defence: DEFENCES.squashed,
    agent: `${SHELL} fs.writeFileSync("honest", "x"); $("git add -A"); ${script}`,
    told: LANDED,
    harm: ({ stage, ticket }: Aftermath) => stage.git(repoOf(ticket), "log", `--format=${format}`, "main").includes(mark),
  };
}

export const LANDING: readonly TicketAttack[] = [
  {
    id: "G4-filter",
    what: "has a filter of the person's run on files of its own, by .gitattributes",
    defence: DEFENCES.filters,
    ticket: { allow: { attributes: true } },
    agent: `fs.writeFileSync(".gitattributes", "*.odd filter=person diff=person merge=person ident export-subst\\n"); fs.writeFileSync(ticket + ".odd", "x\\n");`,
    told: LANDED,
    harm: ({ stage, ticket }) => ranElsewhere(stage, repoOf(ticket), `clean-${ticket}.odd`),
  },
  {
    id: "G4-smudge",
    what: "has a filter of the person's run as its file is checked out",
    defence: DEFENCES.filters,
    ticket: { allow: { attributes: true } },
    agent: `fs.writeFileSync(".gitattributes", "*.odd filter=person\\n"); fs.writeFileSync(ticket + ".odd", "x\\n");`,
    told: LANDED,
    harm: ({ stage, ticket }) => ranElsewhere(stage, repoOf(ticket), `smudge-${ticket}.odd`),
  },
  {
    id: "G4-hooks",
    what: "brings hooks in a folder of the tree that the person's configuration names (core.hooksPath)",
    defence: DEFENCES.hooks,
    agent: `fs.mkdirSync(".githooks"); for (const hook of ["reference-transaction", "post-index-change", "post-checkout", "post-commit"])
      fs.writeFileSync(".githooks/" + hook, "#!/bin/sh\\ntouch " + root + "/hits/" + ticket + "\\n", { mode: 0o755 });`,
    told: LANDED,
    harm: ({ stage, ticket }) => existsSync(stage.path("hits", ticket)),
  },
  speaks(
    "G5-trailers",
    "claims other tickets in the trailers of its commit",
    `$("git commit -qm honest -m 'Loopdash-Ticket: FORGED'");`,
    "%(trailers:key=Loopdash-Ticket,valueonly)",
    "FORGED",
  ),
  speaks(
    "G5-author",
    "commits in a person's name, years ago",
    `$("GIT_AUTHOR_NAME='A. Person' GIT_AUTHOR_DATE=2001-01-01T00:00:00Z GIT_COMMITTER_DATE=2001-01-01T00:00:00Z git commit -qm honest");`,
    "%an %ad",
    "A. Person",
  ),
  speaks(
    "G5-control",
    "writes to the terminal of whoever reads the log, by its commit message",
    `$("git commit -qm $'\\\\x1b]0;owned\\\\x07\\\\x1b[2J honest'");`,
    "%B",
    "\u001b",
  ),
  {
    id: "G5-title",
    what: "closes an issue and skips CI by a ticket's title, as one that an agent files could have it",
    defence: DEFENCES.inert,
    ticket: { title: "Do it [skip ci], fixes #12" },
    agent: `fs.writeFileSync("honest", "x");`,
    told: LANDED,
    harm: ({ stage, ticket }) => /\[skip ci\]|fixes #12/.test(stage.git(repoOf(ticket), "log", "--format=%B", "main")),
  },
  speaks(
    "G5-history",
    "hides a file in its history that is gone in the end",
    `$("git commit -qm honest; echo key > hidden; git add hidden; git commit -qm hidden-file; git rm -q hidden; git commit -qm tidy");`,
    "%s",
    "hidden-file",
  ),
  {
    id: "G1-hfs-left",
    what: "leaves a folder that a Mac takes for .git, and commits nothing",
    defence: DEFENCES.names,
    agent: `fs.mkdirSync(".g\u200cit/hooks", { recursive: true }); fs.writeFileSync(".g\u200cit/hooks/post-checkout", "x"); fs.writeFileSync("honest", "x");`,
    told: LANDED,
    harm: ({ stage, ticket }) => stage.git(repoOf(ticket), "ls-tree", "-r", "--name-only", "main").includes("post-checkout"),
  },
  {
    id: "A32-gitlink",
    what: "adds a submodule by the index alone",
    defence: DEFENCES.submodules,
    agent: `${SHELL} $("git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),elsewhere; git commit -qm elsewhere; mkdir elsewhere"); fs.writeFileSync("honest", "x");`,
    told: SUBMODULE,
  },
  {
    id: "A32-nested",
    what: "leaves a repository of its own in a folder",
    defence: DEFENCES.submodules,
    agent: `${SHELL} $("git init -q nested; cd nested; echo x > y; git add y; git commit -qm y"); fs.writeFileSync("honest", "x");`,
    told: SUBMODULE,
  },
  {
    id: "A32-modules",
    what: "moves where a submodule comes from, by .gitmodules alone",
    defence: DEFENCES.submodules,
    agent: `fs.writeFileSync(".gitmodules", '[submodule "vendor"]\\n\\tpath = vendor\\n\\turl = --upload-pack=evil\\n');`,
    told: SUBMODULE,
  },
  {
    id: "A32-modules-case",
    what: "does the same by a name that means .gitmodules on another system",
    defence: DEFENCES.submodules,
    agent: `fs.writeFileSync(".GitModules", '[submodule "vendor"]\\n\\tpath = vendor\\n\\turl = https://elsewhere.invalid/x\\n');`,
    told: SUBMODULE,
  },
  {
    id: "A32-filter",
    what: "puts a repository with a filter in the place of a submodule, for the engine's git to start",
    defence: DEFENCES.embedded,
    agent: `${SHELL} $("git init -q vendor; cd vendor; echo x > y; git add y; git commit -qm y; git config filter.f.clean 'touch " + root + "/hits/" + ticket + ";cat'; echo '* filter=f' > .git/info/attributes; echo z > y");`,
    told: SUBMODULE,
    harm: ({ stage, ticket }) => existsSync(stage.path("hits", ticket)),
  },
];
