import { mkdir, stat, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { readTicketFolder, takenNames } from "../../adapters/tracker/folder-read.ts";
import type { RepoSpec } from "../../domain/batch/repo-spec.ts";
import { hasErrorCode, plainText } from "../../domain/values/text.ts";
import { UserError } from "../../domain/values/user-error.ts";
import { repositoryOf } from "../engine/outside-repositories.ts";
import type { InitFlags } from "./flags.ts";
import type { Interview, ParsedAnswer } from "./interview.ts";

/** A folder of Markdown tickets. */
export interface TicketFolder {
  /** Absolute. */
  readonly path: string;
  /** False if there is no such folder. */
  readonly isThere: boolean;
  readonly tickets: number;
}

interface FolderOptions {
  readonly cwd: string;
  /** The repositories of the batch, with absolute paths. */
  readonly repos: Readonly<Record<string, RepoSpec>>;
  /** The folder that is proposed, as a person would name it. */
  readonly fallback: string;
}

/** Asks for the folder of tickets, and whether to make it if it holds none. Undefined if an answer is missing. */
export async function askTicketFolder(
  interview: Interview,
  flags: InitFlags,
  { cwd, repos, fallback }: FolderOptions,
): Promise<TicketFolder | undefined> {
  for (let given = flags.tickets; ; given = undefined) {
    const folder = await interview.answer({
      flag: "--tickets FOLDER",
      given,
      text: "Folder of tickets, one Markdown file each",
      fallback,
      parse: (text) => lookAtFolder(text, { cwd, repos }),
    });
    if (folder === undefined || folder.tickets > 0) return folder;
    const shown = plainText(folder.path, 200);
    const isMade = await interview.answer({
      flag: "--yes",
      given: undefined,
      text: `${folder.isThere ? `${shown} holds no tickets. Write` : `There is no folder ${shown}. Make it with`} an example ticket?`,
      fallback: "yes",
      parse: readYes,
    });
    if (isMade !== false) return isMade === undefined ? undefined : folder;
  }
}

/** The folder with tickets that is found near a folder, else the one to make, as a person would name it there. */
export async function ticketFolderNear(
  cwd: string,
  repos: FolderOptions["repos"],
): Promise<{ readonly proposed: string; readonly hasTickets: boolean }> {
  const beside = Object.values(repos).flatMap(({ path }) => [join(path, "../tickets"), `${path}-tickets`]);
  const places = [join(cwd, "tickets"), ...beside].map((path) => relative(cwd, path));
  const looks = await Promise.all(places.map(async (place) => ({ place, look: await lookAtFolder(place, { cwd, repos }) })));
  const full = looks.find(({ look }) => "value" in look && look.value.tickets > 0);
  if (full !== undefined) return { proposed: full.place, hasTickets: true };
  // A folder of this name beside a repository may be anything; one with the repository's name is the batch's.
  const free = looks.find(({ place, look }) => "value" in look && (place === "tickets" || place.endsWith("-tickets")));
  return { proposed: free?.place ?? "tickets", hasTickets: false };
}

/** The folder at a path that a person names. The batch refuses one in a repository: a change could bring tickets set to done. */
async function lookAtFolder(text: string, { cwd, repos }: Omit<FolderOptions, "fallback">): Promise<ParsedAnswer<TicketFolder>> {
  const path = resolve(cwd, text);
  const shown = plainText(text, 200);
  const repository = repositoryOf(path, repos);
  if (repository !== undefined)
    return { problem: `${shown} lies in the repository ${repository}, where agents' changes land: keep tickets beside it` };
  const stats = await stat(path).catch((cause: unknown) => {
    if (hasErrorCode(cause, "ENOENT")) return undefined;
    throw cause;
  });
  if (stats === undefined) return { value: { path, isThere: false, tickets: 0 } };
  if (!stats.isDirectory()) return { problem: `${shown} is a file, and a folder is needed` };
  try {
    return { value: { path, isThere: true, tickets: (await readTicketFolder(path)).length } };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { problem: error.why };
  }
}

/** Makes the folder if it is missing, and writes a ticket that shows the form, under the first free id. Gives its path. */
export async function writeExampleTicket(folder: string, repo: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const taken = new Set(await takenNames(folder));
  let number = 1;
  while (taken.has(`T-${number}`)) number++;
  const file = join(folder, `T-${number}.md`);
  await writeFile(file, exampleTicket(`T-${number}`, repo), { flag: "wx" });
  return file;
}

function exampleTicket(id: string, repo: string): string {
  return `---
id: ${id}
title: Say in the README how the tests are run
repo: ${repo}
dependsOn: []
state: open
---
The README has a short section "Tests". It names the command that runs the tests, and what must be installed before.
No other file changes.
`;
}

function readYes(text: string): ParsedAnswer<boolean> {
  if (/^y(?:es)?$/i.test(text)) return { value: true };
  return /^no?$/i.test(text) ? { value: false } : { problem: "write yes or no" };
}
