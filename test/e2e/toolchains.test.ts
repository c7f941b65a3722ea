import { describe, expect, test } from "vitest";
import { Stage } from "./stage.ts";

/** A program that tells this version, and nothing else. */
function installed(stage: Stage, path: string, version: string): void {
  stage.write(path, `#!/bin/sh\necho ${version}\n`, 0o755);
}

const tells = (program: string, version: string) => ["sh", "-c", `test "$(${program} --version)" = "${version}"`];
const check = (name: string, command: readonly string[]) => ({ step: "check", name, command, canary: "off" });

describe("the toolchains that a repository wants", { timeout: 300_000 }, () => {
  test.each(["required", "off"])("come first for its prepare, check, verify and agent commands; sandbox: %s", async (sandbox) => {
    using stage = new Stage();
    stage.repo("app", {
      ".nvmrc": "18\n",
      ".python-version": "3.1.4\n",
      "rust-toolchain.toml": '[toolchain]\nchannel = "1.2.3"\n',
    });
    stage.repo("plain");
    installed(stage, ".nvm/versions/node/v18.1.0/bin/node", "v18.1.0");
    installed(stage, ".nvm/versions/node/v18.20.0/bin/node", "v18.20.0");
    installed(stage, ".nvm/versions/node/v19.0.0/bin/node", "v19.0.0");
    installed(stage, ".pyenv/versions/3.1.4/bin/python3", "Python 3.1.4");
    installed(stage, ".rustup/toolchains/1.2.3-x86_64-unknown-linux-gnu/bin/rustc", "rustc 1.2.3");
    stage.agent('fs.writeFileSync(ticket + ".txt", sh("node", "--version"));');
    const all = "node --version >seen.txt; python3 --version >>seen.txt; rustc --version >>seen.txt";
    const batch = stage.batch(
      [
        {
          id: "T-1",
          repo: "app",
          finish: [
            check("node", tells("node", "v18.20.0")),
            check("rust", ["rustc"]),
            check("prepared", ["sh", "-c", `test "$(tr '\\n' , <seen.txt)" = "v18.20.0,Python 3.1.4,rustc 1.2.3,"`]),
            { step: "merge" },
            { step: "verify", name: "live", command: tells("python3", "Python 3.1.4") },
          ],
        },
        { id: "T-2", repo: "plain", finish: [check("node", tells("node", process.version)), { step: "merge" }] },
      ],
      { sandbox, repos: { app: { path: "app", prepare: [["sh", "-c", all]] }, plain: { path: "plain" } } },
    );
    const doctor = await stage.run(["doctor", batch]);
    expect(doctor.stdout).toMatch(
      /ok +toolchain +app: node 18\.20\.0 for 18 \(\.nvmrc\), from .*\/\.nvm\/versions\/node\/v18\.20\.0\/bin/,
    );
    const ended = await stage.run([batch, "--headless"]);
    expect(ended.code, ended.stdout).toBe(0);
    expect(stage.git("app", "show", "main:T-1.txt")).toBe("v18.20.0");
    expect(stage.git("plain", "show", "main:T-2.txt")).toBe(process.version);
  });

  const managers: Readonly<Record<string, readonly [want: Record<string, string>, bins: Readonly<Record<string, string>>]>> = {
    asdf: [
      { ".tool-versions": "nodejs 18.20.0 # ours\npython 3.1.4\ngolang 1.2.3\nruby 2.5.0\n" },
      {
        ".asdf/installs/nodejs/18.20.0/bin/node": "v18.20.0",
        ".asdf/installs/nodejs/18.1.0/bin/node": "v18.1.0",
        ".asdf/installs/python/3.1.4/bin/python3": "Python 3.1.4",
        ".asdf/installs/golang/1.2.3/go/bin/go": "go version go1.2.3",
        ".asdf/installs/ruby/2.5.0/bin/ruby": "ruby 2.5.0",
        ".asdf/shims/node": "a shim",
      },
    ],
    mise: [
      { "mise.toml": '[tools]\nnode = "18"\npython = "3.1.4"\ngo = "1.2.3"\nruby = "2.5"\n' },
      {
        ".local/share/mise/installs/node/18.20.0/bin/node": "v18.20.0",
        ".local/share/mise/installs/node/18.1.0/bin/node": "v18.1.0",
        ".local/share/mise/installs/python/3.1.4/bin/python3": "Python 3.1.4",
        ".local/share/mise/installs/go/1.2.3/bin/go": "go version go1.2.3",
        ".local/share/mise/installs/ruby/2.5.0/bin/ruby": "ruby 2.5.0",
        ".local/share/mise/shims/node": "a shim",
      },
    ],
  };
  test.each(Object.entries(managers))("are found where %s installs them, not by its shims", async (manager, [want, bins]) => {
    using stage = new Stage();
    stage.repo("app", want);
    for (const [path, version] of Object.entries(bins)) installed(stage, path, version);
    stage.agent('fs.writeFileSync(ticket + ".txt", sh("node", "--version") + sh("ruby", "--version"));');
    const finish = [
      check("node", tells("node", "v18.20.0")),
      check("python", tells("python3", "Python 3.1.4")),
      check("go", ["sh", "-c", 'test "$(go version)" = "go version go1.2.3"']),
      { step: "merge" },
      { step: "verify", name: "live", command: tells("ruby", "ruby 2.5.0") },
    ];
    const batch = stage.batch(["T-1"], {
      sandbox: "required",
      repos: { app: { path: "app", prepare: [["sh", "-c", tells("node", "v18.20.0")[2]]] } },
      finish,
    });
    const shims = stage.path(manager === "asdf" ? ".asdf/shims" : ".local/share/mise/shims");
    const env = { PATH: `${shims}:${process.env["PATH"]}` };
    const doctor = await stage.run(["doctor", batch], env);
    expect(doctor.stdout).toMatch(
      new RegExp(`ok +toolchain +app: node 18\\.20\\.0 for 18\\S* \\(.*\\), from .*${manager}/installs`),
    );
    const ended = await stage.run([batch, "--headless"], env);
    expect(ended.code, ended.stdout).toBe(0);
    expect(stage.git("app", "show", "main:T-1.txt")).toBe("v18.20.0\nruby 2.5.0");
  });

  test("are never those that a change pins, where the base pins none and PATH has a shim", async () => {
    using stage = new Stage();
    stage.repo("app");
    installed(stage, ".pyenv/versions/3.1.4/bin/python3", "Python 3.1.4");
    installed(stage, ".pyenv/versions/9.9.9/bin/python3", "Python 9.9.9");
    const versions = stage.path(".pyenv/versions");
    const shim = `#!/bin/sh
version=$(cat .python-version 2>/dev/null || echo 3.1.4)
case "$1" in -I) echo ${versions}/$version/bin/python3 ;; *) exec ${versions}/$version/bin/python3 "$@" ;; esac
`;
    stage.write(".pyenv/shims/python3", shim, 0o755);
    stage.agent('fs.writeFileSync(".python-version", "9.9.9\\n");');
    const finish = [check("python", tells("python3", "Python 3.1.4")), { step: "merge" }];
    const env = { PATH: `${stage.path(".pyenv/shims")}:${process.env["PATH"]}` };
    const ended = await stage.run([stage.batch(["T-1"], { sandbox: "required", finish }), "--headless"], env);
    expect(ended.code, ended.stdout).toBe(0);
  });

  test("are named before the first attempt if they are not installed", async () => {
    using stage = new Stage();
    stage.repo("app", { ".ruby-version": "9.9.9\n", "package.json": `{"engines": {"node": ">=1"}}` });
    stage.agent('fs.writeFileSync("x", "");');
    const batch = stage.batch(["T-1"], { finish: [{ step: "merge" }] });
    const plan = await stage.run([batch, "--dry-run"]);
    const start = await stage.run([batch, "--headless"]);
    const doctor = await stage.run(["doctor", batch]);
    for (const { stdout, stderr } of [plan, start, doctor])
      expect(stdout + stderr).toMatch(
        /batch\.json:\d+:\d+ +repos\.app: app wants ruby 9\.9\.9 \(\.ruby-version\), which is not installed/,
      );
    expect(doctor.stdout).toMatch(/ok +toolchain +app: node [\d.]+ for >=1 \(package\.json\), on PATH/);
    expect([plan.code, start.code]).toEqual([0, 0]);
  });
});
