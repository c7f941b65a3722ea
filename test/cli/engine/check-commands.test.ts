import { expect, test } from "vitest";
import { checkCommands } from "../../../src/cli/engine/check-commands.ts";
import type { LoadedBatch } from "../../../src/cli/engine/load-batch.ts";
import { cleanUp, newRepo, tempDir } from "../../adapters/vcs/real-repo.ts";

cleanUp();

const VENV = ["python3", "-m", "venv", "env"];
const PIP = ["env/bin/pip", "install", "-r", "requirements.txt"];

/** What is said about the words of prepare commands, and about the check `env/bin/python -m pytest`. */
async function said(prepare: readonly (readonly string[])[]): Promise<readonly string[]> {
  const path = newRepo(tempDir());
  const check = { step: "check", name: "tests", command: ["env/bin/python", "-m", "pytest"] };
  const tickets = [{ id: "T-1", title: "t", body: "", repo: "app", finish: [check] }];
  const batch = { agent: { kind: "claude" }, repos: { app: { path, base: "main", prepare } }, tickets };
  const loaded = { batch, folder: tempDir(), locate: () => undefined } as unknown as LoadedBatch;
  const env = { PATH: process.env["PATH"] ?? "" };
  const places = { folder: loaded.folder, repos: [path], forbidden: [] } as never;
  const { warnings } = await checkCommands(loaded, { sandbox: undefined, places, env, paths: new Map() });
  return warnings.map(({ message, hint }) => `${message}; ${hint}`);
}

test("a program of the environment that an earlier prepare command makes is expected, and not warned of", async () => {
  expect(await said([VENV, PIP])).toEqual([]);
});

test("a program that no prepare command is known to make is warned of, also one that is used too early", async () => {
  const absent = (program: string) => expect.stringContaining(`"${program}" is not at the tip of main in "app"; unless`);
  expect(await said([["make", "ready"]])).toEqual([absent("env/bin/python")]);
  expect(await said([["make", "ready"], PIP, VENV])).toEqual([absent("env/bin/pip")]);
});
