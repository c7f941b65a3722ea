import { EventEmitter, once } from "node:events";
import { mkdtempSync } from "node:fs";
import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Seed, State } from "../state.ts";
import { type GitAnswer, type GitRequest, runBackend } from "./backend.ts";
import { Ci, type JobMoment, type JobRun } from "./ci.ts";
import { Downloads } from "./downloads.ts";
import { branches } from "./git.ts";
import { type Found, forgeOf, type Host, liveForge } from "./host.ts";
import { MergeabilityReader } from "./mergeability.ts";
import { ForgePerson } from "./person.ts";
import { Pulls } from "./pulls.ts";
import { MergeQueue } from "./queue.ts";
import { makeRepository } from "./repositories.ts";

const HOOK = fileURLToPath(new URL("./proc-receive.child.ts", import.meta.url));

/** What the forge needs of the stand-in around it. */
export interface ForgeOptions {
  readonly state: () => State;
  readonly now: () => number;
  readonly remember: () => void;
  readonly mistake: (error: unknown) => void;
}

/** Who sent a git client's request. */
interface GitClient {
  readonly token: { readonly login: string; readonly isRevoked: boolean; readonly canWrite?: boolean } | undefined;
  readonly response: ServerResponse;
}

/** GitHub as a forge: git over HTTP, pull requests, checks that really run, and a merge queue. */
export class Forge {
  /** The folder of the bare repositories, `owner/name.git`; empty until the stand-in opens with one. */
  root = "";
  readonly ci: Ci;
  readonly pulls: Pulls;
  readonly queue: MergeQueue;
  readonly mergeability = new MergeabilityReader();
  readonly downloads = new Downloads();
  readonly #host: Host;
  readonly #events = new EventEmitter<{ change: [] }>().setMaxListeners(0);
  #turn: Promise<unknown> = Promise.resolve();
  #isAdvancing = false;
  #isClosed = false;

  constructor({ state, now, remember, mistake }: ForgeOptions) {
    this.#host = { state, now, remember, mistake, root: () => this.root, changed: () => this.#changed() };
    this.ci = new Ci(this.#host);
    this.pulls = new Pulls(this.#host, this.ci, this.mergeability);
    this.queue = new MergeQueue(this.#host, { ci: this.ci, pulls: this.pulls, turn: (act) => this.exclusive(act) });
    this.pulls.leaveQueue = (repo, number) => this.queue.dequeue(repo, number);
  }

  /** Makes the repositories of a seed. */
  async open({ repos = {} }: Seed): Promise<void> {
    if (Object.values(repos).every(({ forge }) => forge === undefined)) return;
    this.root = mkdtempSync(join(tmpdir(), "loopdash-forge-"));
    await this.downloads.open();
    await mkdir(join(this.root, "hooks"));
    const hook = join(this.root, "hooks", "proc-receive");
    await writeFile(hook, `#!/bin/sh\nexec "${process.execPath}" "${HOOK}"\n`);
    await chmod(hook, 0o755);
    for (const [name, { forge }] of Object.entries(repos))
      if (forge !== undefined) {
        await makeRepository(join(this.root, `${name}.git`), forge, this.#host.now());
        await this.pulls.pushed(name, new Map(), await branches(join(this.root, `${name}.git`)));
      }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.ci.close();
    await this.#turn;
    if (this.root === "") return;
    await this.downloads.close();
    await rm(this.root, { recursive: true, force: true });
  }

  /** Holds jobs back; see `Ci.gate`. */
  set gate(gate: (moment: JobMoment) => Promise<void> | undefined) {
    this.ci.gate = gate;
  }

  /** The machines that run jobs; see `Ci.machine`. */
  set machine(machine: (run: JobRun) => Readonly<Record<string, string>>) {
    this.ci.machine = machine;
  }

  /** Someone who works on pull requests by hand. */
  person(login: string): ForgePerson {
    const { ci, pulls, queue } = this;
    return new ForgePerson(login, { host: this.#host, ci, pulls, queue, turn: (act) => this.exclusive(act) });
  }

  /** A repository of the state that a reader sees. */
  find(state: State, fullName: string): Found | undefined {
    return forgeOf(state, this.root, fullName);
  }

  get host(): Host {
    return this.#host;
  }

  /** Resolves when a condition holds. It is looked at after each change of the forge. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await once(this.#events, "change");
  }

  /** Resolves when so many jobs of a commit are over. */
  async untilChecked(fullName: string, sha: string, count = 1): Promise<void> {
    const isOver = ({ sha: of, status }: { readonly sha: string; readonly status: string }) =>
      of === sha && status === "completed";
    await this.until(() => liveForge(this.#host, fullName).forge.ciJobs.filter(isOver).length >= count);
  }

  /** Runs an act when no other one does. */
  exclusive<T>(act: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(act);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /**
   * Answers a git client. A push takes effect before its answer goes out; what a client fetches is streamed to it, so that the answer
   * has been sent when this ends.
   */
  async answerGit(request: IncomingMessage, git: GitRequest, { token, response }: GitClient): Promise<GitAnswer> {
    if (token === undefined || token.isRevoked)
      return plain(401, "Invalid username or token.", { "www-authenticate": 'Basic realm="GitHub"' });
    const { login, canWrite = true } = token;
    const found = this.find(this.#host.state(), git.fullName);
    if (found === undefined || found.repo.hiddenFrom.includes(login)) return plain(404, "Repository not found.");
    if (git.isPush && !canWrite) return plain(403, `Permission to ${git.fullName}.git denied to ${login}.`);
    const { folder, forge, repo } = found;
    const options = {
      root: this.root,
      hooks: join(this.root, "hooks"),
      login,
      closedBranches: [...Object.keys(forge.protection), "gh-readonly-queue"],
    };
    const known = { ...git, fullName: repo.fullName };
    if (git.path === "git-upload-pack") return runBackend(request, known, { ...options, response });
    if (git.path === "info/refs") return runBackend(request, known, options);
    return this.exclusive(async () => {
      const before = await branches(folder);
      const answer = await runBackend(request, known, options);
      await this.pulls.pushed(repo.fullName, before, await branches(folder));
      return answer;
    });
  }

  #changed(): void {
    this.#events.emit("change");
    if (this.#isAdvancing || this.#isClosed) return;
    const waiting = this.#host
      .state()
      .repos.filter(({ forge, fullName }) => forge !== undefined && this.queue.isWaiting(fullName));
    if (waiting.length === 0) return;
    this.#isAdvancing = true;
    setImmediate(() => {
      this.#isAdvancing = false;
      for (const { fullName } of waiting) this.queue.advance(fullName).catch(this.#host.mistake);
    });
  }
}

/** An answer that git shows to people as "remote: …". */
function plain(status: number, text: string, headers: Readonly<Record<string, string>> = {}): GitAnswer {
  return { status, headers: { "content-type": "text/plain", ...headers }, body: Buffer.from(`${text}\n`) };
}
