import type { DashboardStore } from "../../store/dashboard-store.ts";

/** What the dashboard shows beside the engine's messages, and where it lies. */
export interface ReaderOf {
  readonly store: DashboardStore;
  /** The folder of the run that is shown now: `runs/<run>`. */
  readonly folder: () => string;
}

/** Starts to read the store and brings into it what a view asks for. Gives how to end it. */
export type Reader = (readerOf: ReaderOf) => () => void;
