import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createRunFiles } from "../../../src/adapters/run-files/run-files.ts";
import { createMasker } from "../../../src/adapters/secrets/masker.ts";
import { maskedPorts } from "../../../src/cli/engine/masked-ports.ts";
import type { RunSecrets } from "../../../src/cli/engine/run-secrets.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { scratchFolder } from "../../helpers/scratch.ts";

const folder = scratchFolder();
const NO_AUDIT = { append: () => undefined, flush: () => undefined };
const TOKEN = "planted-Token-4711-of-nobody";

test("a file whose name or content holds a secret is left out of a listing, and its name is masked", async () => {
  const masker = createMasker();
  masker.learn("planted", TOKEN);
  const files = createRunFiles({ folder: folder(), worktrees: folder() });
  const ports = maskedPorts({ masker } as RunSecrets, { audit: NO_AUDIT, files, repos: new Map(), report: () => true });
  const at = join(folder(), "attempt");
  mkdirSync(join(at, "outbox"), { recursive: true });
  for (const [name, text] of [
    ["outbox/a.txt", "a"],
    ["outbox/b.txt", TOKEN],
    [`outbox/${TOKEN}.txt`, "c"],
    [`check-${TOKEN}.log`, "d"],
  ] as const)
    writeFileSync(join(at, name), text);
  const { files: listed, leftOut } = await ports.files.list(at, []);
  expect(listed.map(({ path }) => path)).toEqual(["outbox/a.txt"]);
  expect(leftOut).toEqual([
    { path: "check-[secret planted].log", why: "its name holds a secret" },
    { path: "outbox/b.txt", why: "it holds a secret" },
    { path: "outbox/[secret planted].txt", why: "its name holds a secret" },
  ]);
});

test("a command is masked before the audit log cuts it", () => {
  const masker = createMasker();
  masker.learn("planted", TOKEN);
  const appended: unknown[] = [];
  const audit = { ...NO_AUDIT, append: (entry: unknown) => void appended.push(entry) };
  const files = createRunFiles({ folder: folder(), worktrees: folder() });
  const ports = maskedPorts({ masker } as RunSecrets, { audit, files, repos: new Map(), report: () => true });
  const entry = { ticket: TicketId.parse("T-1"), attempt: 1, vendor: "claude", kind: "run", exit: 0 } as const;
  ports.audit.append({ ...entry, command: `curl -H ${TOKEN}`, cwd: `/${TOKEN}` });
  expect(appended).toEqual([{ ...entry, command: "curl -H [secret planted]", cwd: "/[secret planted]" }]);
});
