import { realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type Parsed, parseBlocker, parseDiscovery, schemaParser } from "../../domain/outbox/parse.ts";
import { type BlockerClaim, type Discovery, RunCost, RunSession, UsageLimit } from "../../domain/outbox/schema.ts";
import { plainText } from "../../domain/values/text.ts";
import type { Outbox, OutboxReading, RefusedFile, RunClaims } from "../../ports/outbox.ts";
import { namesIn, readPlainFile } from "../plain-file.ts";

/** Bytes of each file, above the size of its longest texts. */
const MOST_BYTES = { blocker: 512 * 1024, discovery: 128 * 1024, notes: 64 * 1024, plan: 64 * 1024, run: 4096 } as const;
/** Characters of the notes that are kept. */
const NOTES_CHARS = 4_000;
/** Entries of a folder that are listed, files under `discovered/` that are read, and refused files that are reported. */
const MOST_ENTRIES = 1_000;
const MOST_DISCOVERIES = 100;
const MOST_REFUSED = 20;

/** Files in which a `command` agent says something of its run. */
const RUN_FILES = ["limit.json", "cost.json", "session.json"] as const;

/** Reads an agent's outbox from its folder. `isCommand`: the agent is of kind `command`. */
export function createOutbox({ isCommand = false }: { readonly isCommand?: boolean } = {}): Outbox {
  return {
    read: (folder) => new Reading().read(folder, isCommand ? RUN_FILES : []),
    readRun: (folder) => new Reading().readRun(folder),
  };
}

/** One reading of one outbox. */
class Reading {
  readonly #refused: RefusedFile[] = [];

  async read(folder: string, others: readonly string[]): Promise<OutboxReading> {
    const found = await this.#open(folder);
    if (found === undefined) return { discoveries: [], refused: this.#refused };
    const { listing, place } = found;
    const blocker = await this.#file<BlockerClaim>(place, "blocker.json", MOST_BYTES.blocker, parseBlocker);
    const notes = await this.#file(place, "notes.md", MOST_BYTES.notes, boundNotes);
    const plan = await this.#file(place, "plan.md", MOST_BYTES.plan, (text) => ({ ok: true, value: text }));
    const discoveries = await this.#discoveries(place);
    this.#strangers(listing, others);
    return { discoveries, blocker, notes, plan, refused: bounded(this.#refused) };
  }

  async readRun(folder: string): Promise<RunClaims> {
    const place = (await this.#open(folder))?.place;
    if (place === undefined) return { refused: this.#refused };
    const said = await this.#file<UsageLimit>(place, "limit.json", MOST_BYTES.run, schemaParser(UsageLimit));
    const limit = said ?? (this.#refused.length > 0 ? {} : undefined);
    const cost = await this.#file(place, "cost.json", MOST_BYTES.run, schemaParser(RunCost));
    const session = await this.#file(place, "session.json", MOST_BYTES.run, schemaParser(RunSession));
    return { limit, usd: cost?.usd, session: session?.id, refused: this.#refused };
  }

  async #open(folder: string) {
    // An agent that is not confined may have replaced its outbox, or the folder around it, by a link.
    const home = await realpath(dirname(dirname(folder)));
    const name = join(basename(dirname(folder)), basename(folder));
    const listing = await namesIn(home, name, MOST_ENTRIES);
    if (listing?.ok === true) return { listing, place: join(home, name) };
    if (listing !== undefined) this.#refuse("outbox", listing.why);
    return undefined;
  }

  async #discoveries(place: string): Promise<readonly Discovery[]> {
    const listing = await namesIn(place, "discovered", MOST_ENTRIES);
    if (listing?.ok !== true) {
      if (listing !== undefined) this.#refuse("discovered", listing.why);
      return [];
    }
    const found: Discovery[] = [];
    const names = listing.names.toSorted();
    for (const name of names.slice(0, MOST_DISCOVERIES)) {
      const path = `discovered/${name}`;
      if (!name.endsWith(".json")) this.#refuse(path, "only *.json is read here");
      else found.push(...(await this.#listed(place, path)));
    }
    const left = names.length - MOST_DISCOVERIES;
    if (left > 0)
      this.#refuse("discovered", `only ${MOST_DISCOVERIES} files are read; ${listing.more ? "many" : left} more are here`);
    return found;
  }

  /** A discovery that its folder lists: it is reported if it is not there under its name. */
  async #listed(place: string, path: string): Promise<readonly Discovery[]> {
    const before = this.#refused.length;
    const one = await this.#file<Discovery>(place, path, MOST_BYTES.discovery, parseDiscovery);
    if (one !== undefined) return [one];
    if (this.#refused.length === before) this.#refuse(path, "is gone, or its name is not UTF-8");
    return [];
  }

  async #file<T>(place: string, path: string, most: number, parse: (text: string) => Parsed<T>): Promise<T | undefined> {
    const read = await readPlainFile(place, path, most);
    const parsed = read?.ok === true ? parse(read.text) : read;
    if (parsed?.ok === true) return parsed.value;
    if (parsed !== undefined) this.#refuse(path, parsed.why);
    return undefined;
  }

  /** Files with unknown names, most often mistyped ones. */
  #strangers({ names, more }: { readonly names: readonly string[]; readonly more: boolean }, others: readonly string[]): void {
    const known = new Set(["blocker.json", "notes.md", "plan.md", "discovered", ...others]);
    for (const name of names.toSorted())
      if (!known.has(name))
        this.#refuse(name, "nothing is read under this name; blocker.json, notes.md and discovered/*.json are");
    if (more) this.#refuse("outbox", `holds more than ${MOST_ENTRIES} files`);
  }

  #refuse(file: string, why: string): void {
    this.#refused.push({ file: plainText(file, 120), why: plainText(why, 600) });
  }
}

function boundNotes(text: string): Parsed<string> {
  const cut = text.length - NOTES_CHARS;
  return { ok: true, value: cut <= 0 ? text : `${text.slice(0, NOTES_CHARS)}\n[… ${cut} characters cut …]` };
}

/** The first refused files, and the number of the others. */
function bounded(refused: readonly RefusedFile[]): readonly RefusedFile[] {
  const left = refused.length - MOST_REFUSED;
  if (left <= 0) return refused;
  return [...refused.slice(0, MOST_REFUSED), { file: "outbox", why: `${left} more files could not be read` }];
}
