import { checkHeaderHost } from "./check-secrets.ts";
import { DEFAULT_CHECK } from "./default-finish.ts";
import { type HostSpec, isHeaderHost } from "./host-spec.ts";
import { hintFor } from "./nearest.ts";
import { displayValue, type NoteProblem } from "./problem.ts";
import type { BatchFile } from "./schema.ts";
import type { StepSpec } from "./step-spec.ts";

/** Keys under which a batch opens hosts, beside those of its steps. */
const NOT_STEPS = ["prepare", "agent", "blocker", "adjudicator"] as const;

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
/** A name that URL parsers take for a number, and so for another spelling of an address (WHATWG URL, "ends in a number"). */
const NUMBER = /^(?:\d+|0x[0-9a-f]*)$/;
const LONGEST_NAME = 253;

/** Reports hosts that no gateway could open, and step names that the batch does not have. */
export function checkHosts(file: BatchFile, report: NoteProblem): void {
  const opened = Object.entries(file.sandboxPolicy?.hosts ?? {});
  if (opened.length === 0) return;
  const names = namesIn(file);
  for (const [who, hosts] of opened) {
    const path = ["sandboxPolicy", "hosts", who];
    if (!names.includes(who)) report(path, `no step is named ${displayValue(who)}`, hintFor(who, names, "known here"));
    hosts.forEach((spec, i) => {
      if (isHeaderHost(spec)) checkHeaderHost(spec, { file, who, path: [...path, i] }, report);
      const reason = unfitForHost(hostName(spec));
      if (reason !== undefined) report([...path, i], reason, 'write "name", "*.name" or "name:port"');
    });
  }
}

function namesIn({ finish, tickets }: BatchFile): readonly string[] {
  const byDefault: readonly StepSpec[] = [{ step: "check", name: DEFAULT_CHECK, command: [""] }];
  const lines = [finish ?? byDefault, ...tickets.map((ticket) => ticket.finish ?? [])];
  const ofSteps = lines.flat().map((step: StepSpec) => ("name" in step ? [step.name] : []));
  return [...new Set([...NOT_STEPS, ...ofSteps.flat()])];
}

/** A host as a name, with the port that it names. */
export function hostName(spec: HostSpec): string {
  if (typeof spec === "string") return spec;
  return spec.port === undefined ? spec.host : `${spec.host}:${spec.port}`;
}

/** The reason why a host with valid letters cannot be opened; undefined if it can. The gateway has the same rule. */
export function unfitForHost(text: string): string | undefined {
  const below = text.startsWith("*.");
  const [, host = "", port] = /^(?:\*\.)?([^:]*)(?::(\d+))?$/.exec(text) ?? [];
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535))
    return `${displayValue(text)} has a port that there is not`;
  const isAddress = IPV4.test(host);
  if (!(isAddress || isName(host))) return `${displayValue(text)} is neither a host name nor an IP address`;
  if (below && (isAddress || !host.includes(".")))
    return `${displayValue(text)} is too wide: two parts or more must follow the star`;
  return undefined;
}

function isName(host: string): boolean {
  const labels = host.split(".");
  return host.length <= LONGEST_NAME && labels.every((label) => LABEL.test(label)) && !NUMBER.test(labels.at(-1) ?? "");
}
