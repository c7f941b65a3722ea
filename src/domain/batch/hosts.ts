import { isHeaderHost, unfitForHost } from "@loopdash/model-gateway";
import { displayValue, hintFor } from "@loopdash/values";
import { checkHeaderHost } from "./check-secrets.ts";
import { DEFAULT_CHECK } from "./default-finish.ts";
import type { NoteProblem } from "./problem.ts";
import type { BatchFile } from "./schema.ts";
import type { StepSpec } from "./step-spec.ts";

/** Keys under which a batch opens hosts, beside those of its steps. */
const NOT_STEPS = ["prepare", "agent", "blocker", "adjudicator"] as const;

const HOW = 'write "name", "*.name" or "name:port"';
const HOW_PRIVATE = 'write {"host": "npm.corp.example", "addresses": ["10.0.0.0/8"]}';

/** Reports hosts that no gateway could open, and step names that the batch does not have. */
export function checkHosts(file: BatchFile, report: NoteProblem): void {
  const opened = Object.entries(file.sandboxPolicy?.hosts ?? {});
  if (opened.length === 0) return;
  const names = namesIn(file);
  for (const [who, hosts] of opened) {
    const path = ["sandboxPolicy", "hosts", who];
    if (!names.includes(who)) report(path, `no step is named ${displayValue(who)}`, hintFor(who, names, "known here"));
    hosts.forEach((host, i) => {
      if (isHeaderHost(host)) checkHeaderHost(host, { file, who, path: [...path, i] }, report);
      const reason = unfitForHost(host);
      if (reason !== undefined) report([...path, i], reason, typeof host === "string" ? HOW : HOW_PRIVATE);
    });
  }
}

function namesIn({ finish, tickets }: BatchFile): readonly string[] {
  const byDefault: readonly StepSpec[] = [{ step: "check", name: DEFAULT_CHECK, command: [""] }];
  const lines = [finish ?? byDefault, ...tickets.map((ticket) => ticket.finish ?? [])];
  const ofSteps = lines.flat().map((step: StepSpec) => ("name" in step ? [step.name] : []));
  return [...new Set([...NOT_STEPS, ...ofSteps.flat()])];
}
