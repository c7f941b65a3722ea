import { optionValue, readOptions } from "../options.ts";
import { absolutePath, type Call, type Inspector, type Places } from "../paths.ts";
import type { ShellScope } from "../shell/scope.ts";
import { judgeDeletion, judgeWrite } from "./deletion.ts";
import { isSecretFile } from "./secrets.ts";

/** What `tar` is told. */
interface Tar {
  readonly isExtracting: boolean;
  readonly removes: boolean;
  /** The files that it packs, or the names that it unpacks, with the folders that they count from. */
  readonly files: readonly string[];
  readonly folder: string | undefined;
}

const SENDERS = /^(?:curl|wget|nc|ncat|socat|ssh|http|xh|openssl)$/;

/** Judges `tar`: what it packs and removes, where it unpacks, and which programs it starts. */
export function judgeTar(call: Call, guard: Inspector, places: Places): void {
  const { args, scope, reader } = call;
  judgeStarted(call, guard);
  const { isExtracting, removes, files, folder } = readTar(args);
  if (isExtracting) {
    if (folder !== undefined) judgeWrite(`${folder}/file`, scope, guard, places);
    if (folder !== undefined && absolutePath(folder, scope) === "/") guard.report("write-protected");
    return;
  }
  if (removes) for (const file of files) judgeDeletion(file, { scope, guard, places, isRecursive: true });
  if (files.some((file) => isSecretFile(file, scope, places)))
    guard.report(SENDERS.test(reader?.[0] ?? "") ? "send-secret" : "read-secret");
}

/** Judges the programs that `tar` starts. */
function judgeStarted({ args, scope }: Call, guard: Inspector): void {
  for (const [index, arg] of args.entries()) {
    const code =
      /^--(?:checkpoint-action=exec|to-command|use-compress-program|info-script|new-volume-script|rsh-command)=(.*)$/s.exec(
        arg,
      )?.[1] ?? (/^(?:-I|--to-command|-F)$/.test(arg) ? args[index + 1] : undefined);
    if (code !== undefined) guard.maybeLine(code, scope);
  }
}

/** Reads the options of `tar`, which may come without a dash, and the folders that its files count from. */
function readTar(args: readonly string[]): Tar {
  const [first = "", ...rest] = args;
  const isOld = /^[A-Za-z]+$/.test(first);
  const letters = isOld ? first : args.filter((arg) => /^-[A-Za-z]/.test(arg)).join("");
  // The values of old-style options follow in the order of the letters.
  const values = isOld ? [...first].filter((letter) => /[fCTXbIVN]/.test(letter)).length : 0;
  const oldFolder =
    isOld && first.includes("C") ? rest[[...first].filter((letter) => /[fCTXbIVN]/.test(letter)).indexOf("C")] : undefined;
  const { files, folder } = filesIn(isOld ? rest.slice(values) : args, oldFolder);
  return {
    isExtracting: /x/.test(letters) || args.some((arg) => /^--(?:extract|get)$/.test(arg)),
    removes: args.includes("--remove-files"),
    files,
    folder,
  };
}

function filesIn(args: readonly string[], oldFolder: string | undefined): Pick<Tar, "files" | "folder"> {
  const files: string[] = [];
  let folder = oldFolder;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    const attached = /^(?:--directory=|-C(?=.))(.*)$/s.exec(arg)?.[1];
    if (attached !== undefined) folder = inFolder(attached, folder);
    else if (/^(?:-[A-Za-z]*C|--directory|--cd)$/.test(arg)) folder = inFolder(args[++at] ?? "", folder);
    else if (/^(?:-[A-Za-z]*[fTXbIVN]|--(?:file|files-from|exclude|exclude-from|transform|use-compress-program))$/.test(arg))
      at++;
    else if (!arg.startsWith("-")) files.push(inFolder(arg, folder));
  }
  return { files, folder };
}

function inFolder(path: string, folder: string | undefined): string {
  return folder === undefined || /^[/~]/.test(path) ? path : `${folder}/${path}`;
}

/** Judges archivers that delete what they have packed: `zip -m`, `7z -sdel`, `rar -df`. */
export function judgeArchiver({ name, args, scope }: Call, guard: Inspector, places: Places): void {
  const moves =
    name === "zip"
      ? args.some((arg) => /^-[a-zA-Z]*m[a-zA-Z]*$|^--move$/.test(arg))
      : args.some((arg) => /^-(?:sdel|df|dr|dw)$/.test(arg));
  if (!moves) return;
  const files = args.filter((arg) => !arg.startsWith("-")).slice(name === "zip" ? 1 : 2);
  for (const file of files) judgeDeletion(file, { scope, guard, places, isRecursive: true });
}

/** Programs that delete old or double files below the folders that they are given. */
export function judgeSweeper({ args, scope }: Call, guard: Inspector, places: Places): void {
  const deletes = args.some((arg) => /^(?:-[a-zA-Z]*d[a-zA-Z]*|--delete|-deleteduplicates|--force|\d+[dhms]?)$/.test(arg));
  if (!deletes || args.some((arg) => /^(?:-t|--test|-n|-dryrun)$/.test(arg))) return;
  for (const arg of args) if (/^[/~.]/.test(arg)) judgeDeletion(arg, { scope, guard, places, isRecursive: true });
}

/** Programs that copy files to another machine or a cloud, by the words before the files. */
const UPLOADS: Readonly<Record<string, RegExp>> = {
  aws: /^s3 (?:cp|mv|sync)\b/,
  gsutil: /^(?:-m )?(?:cp|mv|rsync)\b/,
  gcloud: /^(?:storage cp|compute scp)\b/,
  rclone: /^(?:copy|copyto|sync|move)\b/,
  docker: /^(?:cp|container cp)\b/,
  podman: /^cp\b/,
  kubectl: /^cp\b/,
  gh: /^(?:gist create|release upload)\b/,
  az: /^storage blob upload/,
  mc: /^(?:cp|mirror|mv)\b/,
  s3cmd: /^(?:put|sync)\b/,
  mail: /^/,
  mailx: /^/,
  mutt: /^/,
  croc: /^send\b/,
  wormhole: /^send\b/,
  magic: /^/,
  ipfs: /^add\b/,
  transfer: /^/,
};

/** Judges credentials that are copied to another machine. */
export function judgeUpload(
  { name, args, scope }: { name: string; args: readonly string[]; scope: ShellScope },
  guard: Inspector,
  places: Places,
): void {
  if (!Object.hasOwn(UPLOADS, name) || !UPLOADS[name]?.test(args.filter((arg) => !arg.startsWith("-")).join(" "))) return;
  if (args.some((arg) => isSecretFile(arg.replace(/^--\w+=/, ""), scope, places))) guard.report("send-secret");
}

/** Judges modules of `ansible` and `salt` that delete or run something on all machines they name. */
export function judgeRemoteModule({ name, args, scope }: Call, guard: Inspector): void {
  if (args.some((arg) => /^(?:-C|--check|--syntax-check|--list-hosts|test=True)$/.test(arg))) return;
  if (name === "salt" || name === "salt-ssh" || name === "salt-call") {
    const at = args.findIndex((arg) => /^[a-z_]+\.[a-z_]+$/.test(arg));
    const act = args[at] ?? "";
    if (/^cmd\.(?:run|shell|run_all|script)$/.test(act)) guard.maybeLine(args[at + 1] ?? "", scope);
    if (
      /^(?:file\.(?:remove|rmdir|truncate)|system\.(?:reboot|shutdown|poweroff|halt)|pkg\.(?:purge|remove)|\w+\.(?:db_remove|delete|user_delete|absent))$/.test(
        act,
      )
    )
      guard.report("delete-outside");
    return;
  }
  const options = readOptions(args, {
    letters: "maiuetfMlPcTB",
    names: ["module-name", "args", "inventory", "user", "extra-vars", "limit", "forks", "become-user"],
  });
  const module = (optionValue(options, "m", "module-name") ?? "command").replace(/^.*\./, "");
  const text = optionValue(options, "a", "args") ?? "";
  if (/\bstate\s*[=:]\s*["']?(?:absent|removed|purged)|"state"\s*:\s*"absent"/.test(text)) guard.report("delete-outside");
  if (/^(?:reboot|shutdown)$/.test(module)) guard.report("machine-off");
  if (/^(?:command|shell|raw|script|expect)$/.test(module)) guard.maybeLine(text.replace(/^(?:cmd|_raw_params)=/, ""), scope);
}
