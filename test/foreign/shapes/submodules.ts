import type { Stage } from "../../e2e/stage.ts";
import type { Area } from "../shape.ts";

/** A repository with one file, and another one as its submodule. */
function withSubmodule(stage: Stage, name: string, sub: string, folder: string): void {
  stage.repo(name, { [`${name}.txt`]: `${name}\n` });
  stage.git(name, "-c", "protocol.file.allow=always", "submodule", "add", "-q", stage.path(sub), folder);
  stage.git(name, "commit", "-q", "-m", `with ${sub}`);
}

/** An agent that fails unless these files are there. */
const sees = (...files: readonly string[]) =>
  `for (const file of ${JSON.stringify(files)}) fs.readFileSync(file);\nfs.writeFileSync(ticket + ".txt", "done\\n");`;

const update = (stage: Stage, ...args: readonly string[]) =>
  stage.git("app", "-c", "protocol.file.allow=always", "submodule", "update", ...args);

export const area: Area = {
  title: "Submodules",
  shapes: [
    {
      shape: "a submodule",
      holds: "works",
      arrange: (stage) => {
        stage.repo("lib", { "lib.txt": "lib\n" });
        withSubmodule(stage, "app", "lib", "vendor/lib");
        return { agent: sees("vendor/lib/lib.txt") };
      },
    },
    {
      shape: "a submodule within a submodule",
      holds: "works",
      arrange: (stage) => {
        stage.repo("leaf", { "leaf.txt": "leaf\n" });
        withSubmodule(stage, "lib", "leaf", "leaf");
        withSubmodule(stage, "app", "lib", "vendor/lib");
        update(stage, "-q", "--init", "--recursive");
        return { agent: sees("vendor/lib/lib.txt", "vendor/lib/leaf/leaf.txt") };
      },
    },
    {
      shape: "a submodule that was never fetched",
      holds: { refused: "submodule update --init --recursive" },
      arrange: (stage) => {
        stage.repo("lib", { "lib.txt": "lib\n" });
        withSubmodule(stage, "origin", "lib", "lib");
        stage.git("", "clone", "-q", stage.path("origin"), "app");
        return undefined;
      },
    },
    {
      shape: "a submodule that the user leaves out (`submodule.NAME.update none`)",
      holds: "works",
      arrange: (stage) => {
        stage.repo("lib", { "lib.txt": "lib\n" });
        withSubmodule(stage, "origin", "lib", "lib");
        stage.git("", "clone", "-q", stage.path("origin"), "app");
        stage.git("app", "config", "submodule.lib.update", "none");
        return undefined;
      },
    },
  ],
};
