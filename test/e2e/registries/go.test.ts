import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { HONEST, Stage } from "../stage.ts";
import { startIndex } from "./index-server.ts";

/** Debian's, which `.ci/run` installs: one in a person's home is not there in the sandbox. */
const GO = "/usr/bin/go";
const missing = existsSync(GO) ? undefined : "go is not installed: apt-get install golang-go";
const TOKEN = "go/Token+4711-not-for-agents";
const BASIC = `Basic ${Buffer.from(`ci-bot:${TOKEN}`).toString("base64")}`;
/** Its caches are in the checkout, where prepare leaves them for checks. Modules are not protected from removal. */
const go = (proxy: string, ...args: readonly string[]) => [
  "env",
  ...["GOPATH", "GOCACHE"].map((name) => `${name}=/tmp/go-${name}`),
  `GOPROXY=${proxy}`,
  ...["GONOSUMDB=*", "GOFLAGS=-modcacherw", "GOTOOLCHAIN=local"],
  GO,
  ...args,
];

const MODULE = "module corp.example/left\n\ngo 1.19\n";
const SOURCE = 'package left\n\nconst Side = "left"\n';

/** A sum of go.sum: sha256 of a list of the files, sorted by name, with their sha256 (golang.org/x/mod/sumdb/dirhash, Hash1). */
function sumOf(files: Readonly<Record<string, string>>): string {
  const hash = (text: string) => createHash("sha256").update(text);
  const lines = Object.entries(files).map(([name, text]) => `${hash(text).digest("hex")}  ${name}\n`);
  return `h1:${hash(lines.join("")).digest("base64")}`;
}

const SUMS = [
  `corp.example/left v1.0.0 ${sumOf({ "corp.example/left@v1.0.0/go.mod": MODULE, "corp.example/left@v1.0.0/left.go": SOURCE })}\n`,
  `corp.example/left v1.0.0/go.mod ${sumOf({ "go.mod": MODULE })}\n`,
].join("");

/** The module `corp.example/left` v1.0.0 as a proxy has it (the protocol is in `go help goproxy`). */
function moduleZip(stage: Stage): Buffer {
  stage.write("zip/corp.example/left@v1.0.0/go.mod", MODULE);
  stage.write("zip/corp.example/left@v1.0.0/left.go", SOURCE);
  const script = `import os, zipfile
with zipfile.ZipFile("left.zip", "w") as out:
  for name in ["go.mod", "left.go"]: out.write("zip/corp.example/left@v1.0.0/" + name, "corp.example/left@v1.0.0/" + name)`;
  execFileSync("python3", ["-c", script], { cwd: stage.root });
  return readFileSync(stage.path("left.zip"));
}

async function builds(headers: object) {
  const stage = new Stage();
  onTestFinished(() => stage[Symbol.dispose]());
  const zip = moduleZip(stage);
  const index = await startIndex(stage.root, {
    authorization: BASIC,
    files: () => ({
      "/corp.example/left/@v/v1.0.0.info": JSON.stringify({ Version: "v1.0.0" }),
      "/corp.example/left/@v/v1.0.0.mod": MODULE,
      "/corp.example/left/@v/v1.0.0.zip": zip,
    }),
  });
  const proxy = `https://127.0.0.1:${index.port}`;
  stage.repo("app", {
    ".gitignore": "vendor\n",
    "go.mod": "module app\n\ngo 1.19\n\nrequire corp.example/left v1.0.0\n",
    "go.sum": SUMS,
    "main.go": 'package main\n\nimport "corp.example/left"\n\nfunc main() { println(left.Side) }\n',
  });
  stage.agent(HONEST);
  const batch = stage.batch(["T-1"], {
    repos: { app: { path: "app", prepare: [go(proxy, "mod", "vendor")] } },
    sandbox: "required",
    limits: { attempts: 1 },
    secrets: { go: { env: "CORP_GO_TOKEN" } },
    sandboxPolicy: { hosts: { prepare: [{ host: "127.0.0.1", port: index.port, addresses: ["127.0.0.1"], ...headers }] } },
    finish: [
      {
        step: "check",
        name: "vets",
        command: go("off", "list", "-mod=vendor", "-deps", "-f", "{{.ImportPath}}", "."),
        canary: "off",
      },
      { step: "merge" },
    ],
  });
  const ended = await stage.run([batch, "--json"], { CORP_GO_TOKEN: TOKEN, NODE_EXTRA_CA_CERTS: index.ca });
  return { ...ended, index, kept: stage.everything() };
}

describe("a private module proxy for go, behind a token", { timeout: 300_000 }, () => {
  beforeEach(({ skip }) => skip(missing !== undefined, missing));

  test("lets go fetch with the token that the gateway adds, and a check work without a network", async () => {
    const { code, stdout, index, kept } = await builds({ headers: { authorization: "Basic {base64:ci-bot:{secret:go}}" } });
    expect(code, stdout.slice(-3000)).toBe(0);
    const asked = ["mod", "zip"].map((kind) => `GET /corp.example/left/@v/v1.0.0.${kind} 200`);
    expect(index.asked).toEqual(expect.arrayContaining(asked));
    expect(index.asked.filter((line) => !line.endsWith("200"))).toEqual([]);
    expect(kept).toContain("corp.example/left");
    for (const text of [kept, stdout]) {
      for (const form of [TOKEN, BASIC.slice(6, -4)]) expect(text).not.toContain(form);
      expect(text).not.toContain("[secret go]");
    }
  });

  test("is not fetched from without it, and the reason says so", async () => {
    const { code, index, kept } = await builds({});
    expect(code).toBe(1);
    expect(index.asked).not.toEqual([]);
    expect(index.asked.filter((line) => !line.endsWith("401"))).toEqual([]);
    expect(kept).toContain("401 Unauthorized");
  });
});
