import type { ReactNode } from "react";
import type { Tone } from "../src/store/tone.ts";
import type { Modal } from "../src/store/ui.ts";
import { useDashboard, useDrawn } from "./dashboard-context.ts";
import { Dialog, dialogRoom } from "./dialog.tsx";
import { detailLines, gateLines, helpLines, killLines, leaveLines, type Mirror } from "./dialog-lines.ts";
import type { SpanLine } from "./spans.tsx";

interface Content {
  readonly title: string;
  readonly tone: Tone;
  readonly lines: readonly SpanLine[];
}

/** What stands in front of the views, if anything. */
export function Modals({ columns, rows }: { readonly columns: number; readonly rows: number }): ReactNode {
  useDrawn("modals");
  const modal = useDashboard((s) => s.ui.modal);
  const run = useDashboard((s) => (s.ui.modal === undefined ? undefined : s.run));
  const lists = useDashboard((s) => s.lists);
  if (modal === undefined) return null;
  const content = contentOf(modal, run === undefined ? { lists } : { run, lists }, dialogRoom(columns), rows - 4);
  return <Dialog {...content} columns={columns} rows={rows} wide={modal.kind === "gate"} />;
}

function contentOf(modal: Modal, mirror: Mirror, width: number, most: number): Content {
  switch (modal.kind) {
    case "kill":
      return { title: `End the try at ${modal.ticket}?`, tone: "bad", lines: killLines(mirror, modal.ticket, width) };
    case "gate":
      return { title: `Leave ${modal.ticket} to a person`, tone: "person", lines: gateLines(mirror, modal, width, most) };
    case "leave":
      return { title: "Leave the dashboard", tone: "running", lines: leaveLines(mirror, width) };
    case "help":
      return { title: "Keys", tone: "running", lines: helpLines() };
    case "details":
      return { title: modal.ticket, tone: "running", lines: detailLines(mirror, modal.ticket, width) };
  }
}
