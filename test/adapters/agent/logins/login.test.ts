import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { claudeLogin } from "../../../../src/adapters/agent/logins/claude.ts";
import { codexLogin } from "../../../../src/adapters/agent/logins/codex.ts";
import { geminiLogin } from "../../../../src/adapters/agent/logins/gemini.ts";
import { openPending } from "../../../../src/adapters/agent/logins/login-file.ts";
import { scratchFolder } from "../../../helpers/scratch.ts";
import { geminiProgram, HOUR, keep, keptIn, loginIn, tokenEndpoint, VENDOR } from "./stage.ts";

const folder = scratchFolder();
const NOW = Date.parse("2026-06-01T12:00:00Z");
const now = () => NOW;
const SOON = NOW + HOUR;
const GONE = NOW - 1_000;
const FORMATS = { claude: claudeLogin, codex: codexLogin, gemini: geminiLogin } as const;

describe.each(["claude", "codex", "gemini"] as const)("the login of %s", (kind) => {
  const format = FORMATS[kind];
  const { access, kept, answer } = VENDOR[kind];
  let file = "";
  let programPath = "";
  beforeEach(() => {
    file = format.file({ HOME: folder() });
    programPath = geminiProgram(folder());
  });

  test("is used as it is while it lasts", async () => {
    keep(file, kept(1, SOON));
    const endpoint = await tokenEndpoint((n) => answer(n, SOON));
    const login = loginIn(folder(), format, endpoint.port, { now });
    expect(await login.value()).toBe(access(1, SOON));
    expect(await login.headers()).toEqual(kind === "codex" ? { "chatgpt-account-id": "acc-1" } : {});
    expect(endpoint.seen).toEqual([]);
    expect(await login.state()).toEqual({ file, expiresAt: SOON, isExpired: false, canRefresh: true });
  });

  test("is refreshed before it ends, and written back where it was: other members, mode and links stay", async () => {
    keep(file, kept(1, NOW + 60_000));
    chmodSync(file, 0o640);
    const elsewhere = join(folder(), "elsewhere");
    mkdirSync(elsewhere);
    renameSync(file, join(elsewhere, "login.json"));
    symlinkSync(join(elsewhere, "login.json"), file);
    const endpoint = await tokenEndpoint((n) => answer(n, SOON));
    const learnt: string[] = [];
    const learn = (_: string, token: string) => void learnt.push(token);
    const login = loginIn(folder(), format, endpoint.port, { now, programPath, learn });
    expect(await login.value()).toBe(access(2, SOON));
    expect(await login.value()).toBe(access(2, SOON));
    expect(endpoint.seen).toHaveLength(1);
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o640);
    const after = kept(2, SOON);
    expect(keptIn(file)).toMatchObject(
      kind === "codex" ? { tokens: { refresh_token: "refresh-2" }, auth_mode: "chatgpt" } : after,
    );
    expect(readdirSync(elsewhere)).toEqual(["login.json"]);
    expect(learnt).toEqual(expect.arrayContaining([access(2, SOON), "refresh-1"]));
  });

  test("is refreshed once for requests and engines at the same time", async () => {
    keep(file, kept(1, GONE));
    const endpoint = await tokenEndpoint((n) => answer(n, SOON));
    const engines = [1, 2, 3].map(() => loginIn(folder(), format, endpoint.port, { now, programPath }));
    const values = await Promise.all(engines.flatMap((login) => [login.value(), login.value()]));
    expect(new Set(values)).toEqual(new Set([access(2, SOON)]));
    expect(endpoint.seen).toHaveLength(1);
    expect(readdirSync(dirname(file)).filter((name) => name.includes("lock"))).toEqual([]);
  });

  test("that its program has refreshed meanwhile is read again, and not refreshed", async () => {
    keep(file, kept(1, SOON));
    const endpoint = await tokenEndpoint((n) => answer(n, SOON));
    const login = loginIn(folder(), format, endpoint.port, { now, programPath });
    const first = await login.value();
    keep(file, kept(7, SOON));
    expect(await login.renew(first)).toBe(access(7, SOON));
    expect(endpoint.seen).toEqual([]);
  });

  test("that is refused is refreshed; refused again at once, it stays as it is", async () => {
    keep(file, kept(1, SOON));
    const endpoint = await tokenEndpoint((n) => answer(n, SOON + HOUR));
    const login = loginIn(folder(), format, endpoint.port, { now, programPath });
    const second = await login.renew(await login.value());
    expect(second).toBe(access(2, SOON + HOUR));
    expect(await login.renew(second)).toBe(second);
    expect(endpoint.seen).toHaveLength(1);
  });

  test.each(["ahead", "behind"] as const)("is refreshed no more than needed with a clock that is %s", async (how) => {
    const wrong = () => NOW + (how === "ahead" ? 1_000 : -1_000) * HOUR;
    let ticks = 0;
    keep(file, kept(1, SOON));
    const endpoint = await tokenEndpoint((n) => answer(n, SOON + HOUR));
    const login = loginIn(folder(), format, endpoint.port, { now: wrong, ticks: () => ticks, programPath });
    for (let i = 0; i < 3; i += 1) await login.value();
    expect(endpoint.seen).toHaveLength(how === "ahead" ? 1 : 0);
    if (how === "behind") return;
    ticks += HOUR;
    if (kind !== "gemini") {
      await login.value();
      expect(endpoint.seen).toHaveLength(2);
    }
  });

  test("that the vendor refuses to refresh is lost, and says what to run; the file stays", async () => {
    keep(file, JSON.parse(JSON.stringify(kept(1, GONE)).replace("refresh-1", "used-up")));
    const before = keptIn(file);
    const endpoint = await tokenEndpoint((n) => answer(n, SOON));
    const login = loginIn(folder(), format, endpoint.port, { now, programPath });
    await expect(login.value()).rejects.toMatchObject({
      name: "LoginRequired",
      message: expect.stringContaining(`Run ${format.command}`),
    });
    expect(keptIn(file)).toEqual(before);
    expect(readdirSync(dirname(file))).toHaveLength(1);
  });

  test("that cannot be reached now is not lost", async () => {
    keep(file, kept(1, GONE));
    const endpoint = await tokenEndpoint((n) => answer(n, SOON));
    endpoint.close();
    const login = loginIn(folder(), format, endpoint.port, { now, programPath });
    await expect(login.value()).rejects.not.toMatchObject({ name: "LoginRequired" });
    expect(readdirSync(dirname(file))).toHaveLength(1);
  });

  test("that cannot be refreshed now is used until it has expired", async () => {
    keep(file, kept(1, NOW + 60_000));
    let at = NOW;
    const login = loginIn(folder(), format, 1, { now: () => at, programPath });
    expect(await login.value()).toBe(access(1, NOW + 60_000));
    expect(Object.keys(await login.headers())).toEqual(kind === "codex" ? ["chatgpt-account-id"] : []);
    at += 60_000;
    await expect(login.value()).rejects.toThrow("did not answer");
  });

  test("survives a process that dies between its answer and the file", async () => {
    keep(file, kept(1, GONE));
    const pending = await openPending(file, "refresh-1");
    // Killed: written, and not yet put in place.
    await pending.save(kept(2, SOON) as Record<string, unknown>);
    const written = readdirSync(dirname(file));
    expect(written).toHaveLength(1);
    const dead = await openPending(file, kind === "gemini" ? "refresh-1" : "refresh-2");
    const name = readdirSync(dirname(file)).find((each) => each.includes("loopdash")) ?? "";
    keep(join(dirname(file), name), kept(3, SOON));
    keep(file, kept(2, GONE));
    const endpoint = await tokenEndpoint(() => ({}));
    const login = loginIn(folder(), format, endpoint.port, { now, programPath });
    expect(await login.value()).toBe(access(3, SOON));
    expect(endpoint.seen).toEqual([]);
    expect(readdirSync(dirname(file))).toHaveLength(1);
    await dead.discard();
  });

  test("a half-written new login, and one for a login that is no more, are removed", async () => {
    keep(file, kept(1, GONE));
    const left = [await openPending(file, "refresh-1"), await openPending(file, "refresh-of-long-ago")];
    const endpoint = await tokenEndpoint((n) => answer(n, SOON));
    expect(await loginIn(folder(), format, endpoint.port, { now, programPath }).value()).toBe(access(2, SOON));
    expect(readdirSync(dirname(file))).toHaveLength(1);
    for (const pending of left) await pending.discard();
  });

  test("a lock that somebody left behind is taken", async () => {
    keep(file, kept(1, GONE));
    const lock = format.ownLock?.(file) ?? join(dirname(file), `.${kind}.loopdash-lock`);
    mkdirSync(lock);
    utimesSync(lock, 1, 1);
    const endpoint = await tokenEndpoint((n) => answer(n, SOON));
    expect(await loginIn(folder(), format, endpoint.port, { now, programPath }).value()).toBe(access(2, SOON));
    expect(existsSync(lock)).toBe(false);
  });

  test.each([
    ["is missing", undefined],
    ["is another one", { key: "k" }],
    ["is no JSON", "{ secret-text"],
  ])("that %s is lost, and nothing of it is told", async (_, content) => {
    if (content !== undefined) keep(file, {});
    if (typeof content === "string") writeFileSync(file, content);
    const login = loginIn(folder(), format, 1, { now });
    const told = await login.state().catch((error: Error) => error);
    expect(told).toMatchObject({ name: "LoginRequired" });
    expect(String(told)).not.toContain("secret-text");
  });
});

test("gemini's client is read from the program that is used", async () => {
  keep(geminiLogin.file({ HOME: folder() }), VENDOR.gemini.kept(1, GONE));
  const endpoint = await tokenEndpoint((n) => VENDOR.gemini.answer(n, SOON));
  await loginIn(folder(), geminiLogin, endpoint.port, { now, programPath: geminiProgram(folder()) }).value();
  expect(Object.fromEntries(new URLSearchParams(endpoint.seen[0]?.body))).toMatchObject({
    client_id: "123-abc.apps.googleusercontent.com",
    grant_type: "refresh_token",
    refresh_token: "refresh-1",
  });
});

test("a gemini that does not tell its client cannot refresh", async () => {
  keep(geminiLogin.file({ HOME: folder() }), VENDOR.gemini.kept(1, GONE));
  const login = loginIn(folder(), geminiLogin, 1, { now, programPath: process.execPath });
  await expect(login.value()).rejects.toMatchObject({ name: "LoginRequired" });
});
