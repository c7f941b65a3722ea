import type { ReactNode } from "react";
import type { Tone } from "../../src/store/labels/tone.ts";
import type { Modal } from "../../src/store/ui.ts";
import { useDashboard, useDrawn } from "../kit/dashboard-context.ts";
import type { SpanLine } from "../kit/spans.tsx";
import { Dialog, dialogWidth } from "./dialog.tsx";
import {
  addLines,
  approveLines,
  gateLines,
  healLines,
  killLines,
  leaveLines,
  type Mirror,
  noteLines,
  retryLines,
  reviewLines,
} from "./dialog-lines.ts";
import { Help } from "./help.tsx";
import { paletteLines } from "./palette-lines.ts";

interface Content {
  readonly title: string;
  readonly tone: Tone;
  readonly lines: readonly SpanLine[];
}

type DialogModal = Exclude<Modal, { kind: "filter" | "search" | "palette" | "help" | "help-search" }>;

/** The modal in front of the views, if any. */
export function Modals({ columns, rows }: { readonly columns: number; readonly rows: number }): ReactNode {
  useDrawn("modals");
  const modal = useDashboard((s) => s.ui.modal);
  // Filter and search have their field in the last line.
  if (modal === undefined || modal.kind === "filter" || modal.kind === "search") return null;
  if (modal.kind === "palette") return <Palette columns={columns} rows={rows} />;
  if (modal.kind === "help" || modal.kind === "help-search") return <Help columns={columns} rows={rows} />;
  return <Question modal={modal} columns={columns} rows={rows} />;
}

/** A question before an action. */
function Question(options: { readonly modal: DialogModal; readonly columns: number; readonly rows: number }): ReactNode {
  const { modal, columns, rows } = options;
  const run = useDashboard((s) => s.run);
  const lists = useDashboard((s) => s.lists);
  const keymap = useDashboard((s) => s.keymap);
  const viewed = useDashboard((s) => s.viewed);
  const mirror: Mirror = { lists, keymap, ...(run && { run }), ...(viewed && { viewed }) };
  const content = contentOf(modal, mirror, dialogWidth(columns), rows - 4);
  return <Dialog {...content} columns={columns} rows={rows} wide={"input" in modal} />;
}

function contentOf(modal: DialogModal, mirror: Mirror, width: number, most: number): Content {
  switch (modal.kind) {
    case "kill":
      return { title: `End the attempt at ${modal.ticket}?`, tone: "bad", lines: killLines(mirror, modal.ticket, width) };
    case "gate":
      return { title: `Leave ${modal.ticket} to a person`, tone: "person", lines: gateLines(mirror, modal, width, most) };
    case "leave":
      return { title: "Leave the dashboard", tone: "running", lines: leaveLines(mirror, width) };
    case "retry":
      return { title: `Retry ${modal.ticket}?`, tone: "running", lines: retryLines(mirror, modal.ticket, width) };
    case "approve":
      return { title: `Approve the change of ${modal.ticket}?`, tone: "person", lines: approveLines(mirror, modal, width, most) };
    case "heal":
      return { title: "Heal the harness?", tone: "running", lines: healLines(mirror, width) };
    case "add":
      return { title: "Add a ticket", tone: "person", lines: addLines(mirror, modal, width, most) };
    case "review":
      return { title: `Request a review of ${modal.ticket}`, tone: "person", lines: reviewLines(mirror, modal, width, most) };
    case "note":
      return { title: "Note an intervention", tone: "person", lines: noteLines(mirror, modal, width, most) };
  }
}

/** Finds every command: a field, and its matches. The reason why a command does nothing now depends on the whole run. */
function Palette({ columns, rows }: { readonly columns: number; readonly rows: number }): ReactNode {
  useDrawn("palette");
  const state = useDashboard((s) => s);
  const lines = paletteLines(state, { columns, rows });
  return <Dialog title="Command" tone="running" lines={lines} columns={columns} rows={rows} wide />;
}
