import { createEventLineReader } from "../../../../src/adapters/agent/registry.ts";
import type { DashboardStore } from "../../../../src/store/dashboard-store.ts";
import { type FileLabel, LogText } from "../../../../src/store/ticket-log/log-text.ts";
import { currentTarget } from "../../../../src/store/ticket-log/target.ts";

/** What a reader does for the view, without a disk: the file of what is looked at now, which can be written to. */
export class FakeFile {
  readonly #store: DashboardStore;
  readonly #text: LogText;
  #version = 0;

  constructor(store: DashboardStore) {
    const file = currentTarget(store.getState())?.file;
    if (file === undefined) throw new Error("nothing with a file is looked at");
    this.#store = store;
    this.#text = new LogText(file.kind, createEventLineReader);
    this.#text.begin({ skipped: 0 });
  }

  /** Writes, and tells the view. */
  write(text: string): this {
    this.#text.push(text);
    return this.tell("there");
  }

  tell(file: FileLabel): this {
    const key = currentTarget(this.#store.getState())?.key ?? "";
    this.#version += 1;
    this.#store.setState({ viewed: { key, text: this.#text, file, version: this.#version } });
    return this;
  }
}
