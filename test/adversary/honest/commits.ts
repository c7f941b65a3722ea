import { bySmokeTest, type Honest } from "./change.ts";

/** Ways in which agents leave their work in git. */
export const COMMITS: readonly Honest[] = bySmokeTest([
  {
    id: "several-commits",
    what: "work in several commits",
    agent: ({ write, git }) => {
      for (const n of [1, 2, 3, 4]) {
        write(`docs/${n}.md`, `${n}\n`);
        git("add", "-A");
        git("commit", "-q", "-m", `step ${n}`);
      }
    },
    left: ({ mode }) => [1, 2, 3, 4].every((n) => mode(`docs/${n}.md`) === "100644"),
  },
  {
    id: "merge-commit",
    what: "two lines of work that the agent merges",
    agent: ({ write, git }) => {
      const branch = git("branch", "--show-current").trim();
      git("checkout", "-q", "--detach");
      write("docs/side.md", "side\n");
      git("add", "-A");
      git("commit", "-q", "-m", "side");
      const side = git("rev-parse", "HEAD").trim();
      git("checkout", "-q", branch);
      write("docs/main.md", "main\n");
      git("add", "-A");
      git("commit", "-q", "-m", "main line");
      git("merge", "-q", "--no-edit", side);
    },
    left: ({ mode }) => mode("docs/side.md") === "100644" && mode("docs/main.md") === "100644",
  },
  {
    id: "uncommitted",
    what: "work left uncommitted: changed, new and deleted files",
    agent: ({ write, edit, remove }) => {
      write("docs/new.md", "new\n");
      edit("README.md", "Adds numbers.", "Adds.");
      remove("src/main.mjs");
    },
    left: ({ mode }) => mode("docs/new.md") === "100644" && mode("src/main.mjs") === "",
  },
  {
    id: "staged-only",
    what: "work that is staged and not committed",
    agent: ({ write, git }) => {
      write("docs/staged.md", "staged\n");
      git("add", "docs/staged.md");
    },
    left: ({ mode }) => mode("docs/staged.md") === "100644",
  },
  {
    id: "half-staged",
    what: "work that is committed in part, staged in part and lies about in part",
    agent: ({ write, git }) => {
      write("docs/x.md", "1\n");
      git("add", "-A");
      git("commit", "-q", "-m", "one");
      write("docs/x.md", "2\n");
      git("add", "-A");
      write("docs/x.md", "3\n");
      write("docs/y.md", "y\n");
      git("add", "--intent-to-add", "docs/y.md");
    },
    left: ({ file }) => file("docs/x.md") === "3" && file("docs/y.md") === "y",
  },
  {
    id: "amended",
    what: "a commit that is amended twice",
    agent: ({ write, git }) => {
      write("docs/x.md", "1\n");
      git("add", "-A");
      git("commit", "-q", "-m", "one");
      for (const n of [2, 3]) {
        write("docs/x.md", `${n}\n`);
        git("commit", "-q", "-a", "--amend", "-m", `now ${n}`);
      }
    },
    left: ({ file }) => file("docs/x.md") === "3",
  },
  {
    id: "no-verify",
    what: "git commit --no-verify",
    agent: ({ write, git }) => {
      write("docs/x.md", "1\n");
      git("add", "-A");
      git("commit", "-q", "--no-verify", "-m", "one");
    },
  },
  {
    id: "reset-own",
    what: "the agent takes its own commits back and makes one of them",
    agent: ({ write, git }) => {
      for (const n of [1, 2]) {
        write(`docs/${n}.md`, `${n}\n`);
        git("add", "-A");
        git("commit", "-q", "-m", `step ${n}`);
      }
      git("reset", "-q", "--soft", "HEAD~2");
      git("commit", "-q", "-m", "both");
      write("docs/wrong.md", "wrong\n");
      git("add", "-A");
      git("commit", "-q", "-m", "wrong");
      git("reset", "-q", "--hard", "HEAD~1");
    },
    left: ({ mode }) => mode("docs/2.md") === "100644" && mode("docs/wrong.md") === "",
  },
  {
    id: "rebase-own",
    what: "the agent rebases its own commits, and squashes one",
    agent: ({ write, git }) => {
      for (const n of [1, 2, 3]) {
        write(`docs/${n}.md`, `${n}\n`);
        git("add", "-A");
        git("commit", "-q", "-m", n === 3 ? "fixup! step 1" : `step ${n}`);
      }
      git("-c", "sequence.editor=true", "rebase", "-q", "-i", "--autosquash", "HEAD~3");
    },
    left: ({ mode }) => [1, 2, 3].every((n) => mode(`docs/${n}.md`) === "100644"),
  },
  {
    id: "stash",
    what: "the agent stashes its work by its id, looks at the base and takes it up again",
    agent: ({ write, git, read, fs }) => {
      write("README.md", "# mine\n");
      const stash = git("stash", "create").trim();
      git("reset", "-q", "--hard");
      if (!read("README.md").startsWith("# Sums")) throw new Error("the reset took nothing away");
      git("stash", "apply", "-q", stash);
      fs.appendFileSync("README.md", "and more\n");
    },
    left: ({ file }) => file("README.md") === "# mine\nand more",
  },
  {
    id: "refused",
    what: "the agent uses what its git folder has of its own (a stash, a branch, a setting), tries a push, and goes on",
    agent: ({ write, git }) => {
      write("README.md", "# mine\n");
      for (const args of [
        ["stash"],
        ["stash", "pop"],
        ["branch", "mine"],
        ["config", "user.name", "me"],
        ["push", "origin", "HEAD"],
      ]) {
        try {
          git(...args);
        } catch {
          write("docs/refused.md", `${args[0]}\n`);
        }
      }
    },
    left: ({ file, git }) =>
      file("README.md") === "# mine" && file("docs/refused.md") === "push" && git("branch", "--list", "mine") === "",
  },
  {
    id: "revert-and-pick",
    what: "the agent reverts a commit of its own, and picks it again",
    agent: ({ write, git }) => {
      write("docs/x.md", "1\n");
      git("add", "-A");
      git("commit", "-q", "-m", "one");
      const one = git("rev-parse", "HEAD").trim();
      git("revert", "--no-edit", "HEAD");
      git("cherry-pick", one);
    },
    left: ({ file }) => file("docs/x.md") === "1",
  },
  {
    id: "looks-around",
    what: "the agent looks at history, blames, greps, cleans and restores",
    agent: ({ write, git, edit }) => {
      for (const args of [
        ["log", "--stat"],
        ["status"],
        ["diff", "HEAD"],
        ["blame", "README.md"],
        ["grep", "-n", "add"],
        ["show", "HEAD"],
      ])
        git(...args);
      write("junk/a.txt", "junk\n");
      git("clean", "-fdq", "junk");
      edit("README.md", "Adds", "Breaks");
      git("checkout", "--", "README.md");
      git("restore", "src/add.mjs");
      write("docs/x.md", "1\n");
    },
    left: ({ file, mode }) => file("README.md").includes("Adds") && mode("junk/a.txt") === "",
  },
  {
    id: "detached",
    what: "the agent works beside its branch, and brings the branch along",
    agent: ({ write, git }) => {
      const branch = git("branch", "--show-current").trim();
      git("checkout", "-q", "--detach");
      write("docs/x.md", "1\n");
      git("add", "-A");
      git("commit", "-q", "-m", "one");
      const one = git("rev-parse", "HEAD").trim();
      git("checkout", "-q", branch);
      git("merge", "-q", "--ff-only", one);
    },
    left: ({ file }) => file("docs/x.md") === "1",
  },
  {
    id: "odd-messages",
    what: "messages that are long, empty, not ASCII, or look like an option",
    agent: ({ write, git }) => {
      for (const [n, message] of [
        "--amend",
        "größer 🎉 漢字",
        "a\n\nb\n\nSigned-off-by: A <a@example.com>",
        "x".repeat(20_000),
      ].entries()) {
        write("docs/x.md", `${n}\n`);
        git("add", "-A");
        git("commit", "-q", `--message=${message}`);
      }
      git("commit", "-q", "--allow-empty", "--allow-empty-message", "-m", "");
    },
    left: ({ file }) => file("docs/x.md") === "3",
  },
  {
    id: "other-author",
    what: "commits by another author, on another day",
    agent: ({ write, git }) => {
      write("docs/x.md", "1\n");
      git("add", "-A");
      git("commit", "-q", "-m", "one", "--author=Zoë <zoe@example.com>", "--date=2001-02-03T04:05:06Z");
    },
  },
  {
    id: "D21",
    what: "the agent speaks of what destroys, and removes what it may",
    agent: ({ write, git, run, fs }) => {
      write("node_modules/tiny/index.js", "x\n");
      run("rm", "-rf", "./node_modules");
      if (fs.existsSync("node_modules")) throw new Error("node_modules is still there");
      write("docs/x.md", "never git reset --hard\n");
      run("grep", "-n", "git reset --hard", "docs/x.md");
      run("sh", "-c", "cat <<E > docs/y.md\nrm -rf /\nE");
      git("clean", "-n");
      git("add", "-A");
      git("commit", "-q", "-m", "fix rm -rf bug");
    },
    left: ({ file }) => file("docs/y.md") === "rm -rf /",
  },
  {
    id: "packs",
    what: "the agent packs what it has committed",
    agent: ({ write, git }) => {
      for (const n of [1, 2, 3]) {
        write("docs/x.md", `${n}\n`);
        git("add", "-A");
        git("commit", "-q", "-m", `step ${n}`);
      }
      git("repack", "-q", "-d");
    },
    left: ({ file }) => file("docs/x.md") === "3",
  },
]);
