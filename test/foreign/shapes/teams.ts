import { expect } from "vitest";
import { HONEST } from "../../e2e/stage.ts";
import type { Area } from "../shape.ts";

export const area: Area = {
  title: "What teams have",
  shapes: [
    {
      shape: "a checkout on another branch, with changes that are not committed",
      holds: "works",
      arrange: (stage) => {
        stage.repo("app");
        stage.git("app", "switch", "-q", "-c", "mine");
        stage.write("app/README.md", "# mine\n");
        return undefined;
      },
      verify: (stage) => expect(stage.git("app", "status", "--porcelain")).toBe("M README.md"),
    },
    {
      shape: "uncommitted changes on the base",
      holds: { refused: "README.md" },
      arrange: (stage) => {
        stage.repo("app");
        stage.write("app/README.md", "# mine\n");
        return undefined;
      },
    },
    {
      shape: "a `pre-commit` that rejects everything (no hook of a repository runs; the start names it)",
      holds: "works",
      arrange: (stage) => {
        stage.repo("app", { ".husky/pre-commit": "exit 1\n" });
        stage.git("app", "config", "core.hooksPath", ".husky");
        return undefined;
      },
    },
    {
      shape: "an ignored file that the agent and the check need (`copy`)",
      holds: "works",
      arrange: (stage) => {
        stage.repo("app", { ".gitignore": ".env\n" });
        stage.write("env.test", "PORT=1\n");
        return {
          over: { repos: { app: { path: "app", copy: [{ from: "env.test", to: ".env" }] } } },
          agent: `fs.readFileSync(".env");\n${HONEST}`,
        };
      },
    },
  ],
};
