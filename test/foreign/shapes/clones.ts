import { execFileSync } from "node:child_process";
import type { Area } from "../shape.ts";

const clone = (...args: readonly string[]) => execFileSync("git", ["clone", "-q", ...args], { stdio: "ignore" });

export const area: Area = {
  title: "Clones",
  shapes: [
    {
      shape: "a shallow clone",
      holds: "works",
      arrange: (stage) => {
        stage.repo("origin", { "a.txt": "a\n" });
        stage.write("origin/b.txt", "b\n");
        stage.git("origin", "add", "-A");
        stage.git("origin", "commit", "-q", "-m", "second");
        clone("--depth=1", `file://${stage.path("origin")}`, stage.path("app"));
        return undefined;
      },
    },
  ],
};
