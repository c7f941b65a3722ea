import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Outputs } from "./assertions.ts";

const PACKAGE = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/;

/** The licences of every package that is part of the built files. Throws if a package states none. */
export function noticesOf(root: string, outputs: Outputs): string {
  const inputs = Object.values(outputs).flatMap((output) => Object.keys(output.inputs));
  const folders = new Set(inputs.flatMap((input) => input.match(PACKAGE)?.[0] ?? []));
  return [...folders]
    .sort()
    .map((folder) => noticeOf(join(root, folder)))
    .join("\n");
}

function noticeOf(folder: string): string {
  const manifest: { name: string; version: string; license?: string } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  );
  if (manifest.license === undefined) throw new Error(`${manifest.name} states no licence`);
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  const text = file === undefined ? "" : `\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
  return `=== ${manifest.name} ${manifest.version} (${manifest.license})\n${text}`;
}
