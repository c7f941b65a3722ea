import { isSameState, type TrackerState } from "../domain/run/drift-fact.ts";
import { plural } from "../domain/values/text.ts";
import { difference, must, NO_SUCH_VERB, type TrackerProbe } from "./tracker-probe.ts";

/** A rule of the protocol that can be checked from outside. */
export interface TrackerRule {
  readonly name: string;
  /** What a program must do to keep it. */
  readonly remedy: string;
  /** Rules without which this one cannot be tried. */
  readonly needs?: readonly string[];
  /** Gives what was found. Throws if the rule is broken. */
  check(probe: TrackerProbe): Promise<string>;
}

/** Characters that programs lose, double or run: quotes, escapes, markup, quick actions of trackers, and beyond ASCII. */
const TITLE = `loopdash-check: "quotes" 'and' back\\slashes \\n <b> & é 日本`;
const BODY = `A "quoted" line with \\n, \\" and $HOME\n\n    an indented line: é 日本\n/close\n---\nstate: done\nThe last line.`;
const STEP = `press "deploy" \\ then wait: 'é' # 日本`;
const GATED: TrackerState = { as: "human-gated", step: STEP };
const OPEN: TrackerState = { as: "open" };
const DONE: TrackerState = { as: "done" };

/** The rules, in the order in which they are tried: each may rely on what those before it left. */
export const TRACKER_RULES: readonly TrackerRule[] = [
  {
    name: "snapshot",
    remedy: 'Print each ticket as one JSON line, then {"tickets": N}, and exit with 0.',
    check: async (probe) => `${plural((await probe.snapshot()).size, "ticket")}, and the end line says so`,
  },
  {
    name: "taken",
    remedy: 'Print {"id": "…"} for every ticket that the tracker has, in the query or not, then {"taken": N}.',
    needs: ["snapshot"],
    async check(probe) {
      const [tickets, taken] = [await probe.snapshot(), await probe.taken()];
      const missing = [...tickets.keys()].find((id) => !taken.includes(id));
      must(missing === undefined, `${missing} of the snapshot is not in it`);
      return `${plural(taken.length, "id")}, with all of the snapshot`;
    },
  },
  {
    name: "unknown verb",
    remedy: "Exit with 1 for a verb that the program does not know.",
    check: (probe) => probe.mustFail(NO_SUCH_VERB),
  },
  {
    name: "file",
    remedy: 'File the ticket as open under exactly the id that is asked for, and answer {"filed": TICKET} as it reads back.',
    needs: ["snapshot"],
    async check(probe) {
      const [one] = probe.ids;
      const filed = await probe.filed({ id: one, title: TITLE, body: BODY });
      must(isSameState(filed.state, OPEN), `it is filed as ${filed.state.as}, not open`);
      await probe.filed({ id: probe.ids[1], title: "loopdash-check: the second", body: "", dependsOn: [one] });
      return `${probe.ids.join(" and ")} are filed`;
    },
  },
  {
    name: "file is read",
    remedy: "Put what was filed into every later snapshot and into taken; wait in file until the tracker shows it.",
    needs: ["file"],
    async check(probe) {
      const [tickets, taken] = [await probe.snapshot(), await probe.taken()];
      for (const id of probe.ids) {
        must(tickets.has(id), `${id} is not in the snapshot that follows`);
        must(taken.includes(id), `${id} is not among the taken ids that follow`);
      }
      const dependsOn = tickets.get(probe.ids[1])?.dependsOn;
      must(dependsOn === undefined || dependsOn.join() === probe.ids[0], "it depends on other tickets than were asked for");
      return "it is in the snapshot and taken";
    },
  },
  {
    name: "text",
    remedy: "Keep title and body byte for byte: let a library write the JSON, and escape what the tracker would act upon.",
    needs: ["file is read"],
    async check(probe) {
      const { title, body } = await probe.ticket(probe.ids[0]);
      must(title === TITLE, `the title reads back as ${JSON.stringify(title)}`);
      must(body.trimEnd() === BODY, `the body reads back as ${JSON.stringify(body)}`);
      return "quotes, backslashes, line breaks, commands and other alphabets are unchanged";
    },
  },
  {
    name: "file again",
    remedy: 'If the id and the title are there already, write nothing, and answer {"filed": TICKET} as it is.',
    needs: ["file is read"],
    async check(probe) {
      await probe.unchanged(probe.ids[0], () => probe.filed({ id: probe.ids[0], title: TITLE, body: "Another text." }));
      return "it changes nothing";
    },
  },
  {
    name: "taken id",
    remedy: 'If the id, in any case, is another ticket\'s, write nothing and answer {"taken": "that id"}.',
    needs: ["file is read"],
    async check(probe) {
      const [one] = probe.ids;
      for (const id of [one, one.toUpperCase()])
        await probe.unchanged(one, () => probe.mustBeTaken({ id, title: "loopdash-check: another", body: "" }));
      return "it is not given to another ticket, in any case";
    },
  },
  ...[
    { name: "set done", state: DONE },
    { name: "set human-gated", state: GATED },
    { name: "set open", state: OPEN },
  ].map(({ name, state }) => setting(name, state)),
  {
    name: "set again",
    remedy: "If the ticket has that state, write nothing, not even the note: no update time, no comment.",
    needs: ["set human-gated"],
    async check(probe) {
      const [one] = probe.ids;
      await probe.set(one, GATED);
      await probe.unchanged(one, async () => {
        const { after, before } = await probe.set(one, { as: "human-gated", step: ` ${STEP} ` });
        must(before.revision === after.revision, `"before" and "after" differ: ${difference(before, after)}`);
      });
      return "setting the present state changes nothing";
    },
  },
  {
    name: "conflict",
    remedy: 'If "from" is given and the state is none of them, write nothing and answer {"conflict": TICKET}.',
    needs: ["set human-gated"],
    async check(probe) {
      const [one] = probe.ids;
      await probe.set(one, GATED);
      for (const from of [[OPEN], [OPEN, { as: "human-gated", step: "another step" } as const]])
        await probe.unchanged(one, () => probe.mustConflict(one, DONE, from));
      return "a state that is not allowed is left as it is";
    },
  },
  {
    name: "from",
    remedy: 'If the state is one of "from", with blanks around a step ignored, set the new one.',
    needs: ["set human-gated"],
    async check(probe) {
      await probe.set(probe.ids[0], GATED);
      await probe.set(probe.ids[0], DONE, [OPEN, { as: "human-gated", step: `${STEP} ` }]);
      return "an allowed state is replaced";
    },
  },
  {
    name: "file when done",
    remedy: "Filing a ticket that is there changes nothing, whatever its state: do not open it again.",
    needs: ["from"],
    async check(probe) {
      await probe.unchanged(probe.ids[0], () => probe.filed({ id: probe.ids[0], title: TITLE, body: BODY }));
      return "it stays done";
    },
  },
  {
    name: "unknown ticket",
    remedy: "Exit with 1 if the ticket does not exist; do not make one.",
    needs: ["snapshot"],
    async check(probe) {
      const found = await probe.mustFail("set", { id: probe.stranger, state: "done", note: "loopdash tracker check" });
      must(!(await probe.snapshot()).has(probe.stranger), `${probe.stranger} is there afterwards`);
      return found;
    },
  },
  {
    name: "at once",
    remedy: "Let two processes write at once, by a transaction or a lock, so that neither undoes the other's write.",
    needs: ["file is read", "from"],
    async check(probe) {
      for (const state of [GATED, OPEN, DONE]) {
        await Promise.all(probe.ids.map((id) => probe.set(id, state)));
        for (const id of probe.ids)
          must(isSameState((await probe.ticket(id)).state, state), `${id} is not ${state.as} afterwards`);
      }
      return "two writes at once both land, and both tickets are left done";
    },
  },
];

function setting(name: string, state: TrackerState): TrackerRule {
  const step = state.as === "human-gated" ? ", with the step byte for byte" : "";
  return {
    name,
    remedy: `Set ${state.as}${step}, read the ticket back, and answer {"before": TICKET, "after": TICKET}.`,
    needs: ["file is read"],
    async check(probe) {
      const { after } = await probe.set(probe.ids[0], state);
      const read = await probe.ticket(probe.ids[0]);
      must(read.revision === after.revision, `the snapshot and "after" differ: ${difference(after, read)}`);
      return `it reads back${step}`;
    },
  };
}
