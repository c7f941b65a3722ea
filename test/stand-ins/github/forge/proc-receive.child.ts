/**
 * git's proc-receive hook for protected branches: refuses each update that git hands to it. It is the only hook that can give the reason
 * which a client prints (githooks(5)); an update hook's is always "hook declined".
 */
import { readSync, writeSync } from "node:fs";

function readExactly(length: number): string {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; ) {
    const count = readSync(0, bytes, at, length - at, null);
    if (count === 0) throw new Error("the input ended early");
    at += count;
  }
  return bytes.toString();
}

/** Packets up to the flush. */
function readPackets(): readonly string[] {
  const packets: string[] = [];
  for (;;) {
    const length = Number.parseInt(readExactly(4), 16);
    if (length === 0) return packets;
    packets.push(readExactly(length - 4).replace(/\n$/, ""));
  }
}

function writePackets(packets: readonly string[]): void {
  const lines = packets.map((packet) => `${(Buffer.byteLength(packet) + 4).toString(16).padStart(4, "0")}${packet}`);
  writeSync(1, `${lines.join("")}0000`);
}

readPackets();
writePackets(["version=1"]);
const refs = readPackets().map((command) => command.split(" ").slice(2).join(" "));
for (const ref of refs) {
  const why = ref.startsWith("refs/heads/gh-readonly-queue/")
    ? "This branch is made by the merge queue."
    : "Changes must be made through a pull request.";
  writeSync(2, `error: GH006: Protected branch update failed for ${ref}.\nerror: ${why}\n`);
}
writePackets(refs.map((ref) => `ng ${ref} protected branch hook declined`));
