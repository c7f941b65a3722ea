import { readdirSync } from "node:fs";
import type { Ended, Stage } from "../e2e/stage.ts";

/** A shape of a repository or a machine: one row of the matrix in test/foreign/README.md. */
export interface Shape {
  /** What is special about it, as the first cell says it. */
  readonly shape: string;
  /** "works", or a part of the line that refuses it before an agent starts, and that says what helps. */
  readonly holds: "works" | { readonly refused: string };
  /** Makes the repository `app` and what else the shape is about. */
  arrange(stage: Stage): Arranged | undefined | Promise<Arranged | undefined>;
  /** What else is true after a run that works. */
  verify?(stage: Stage, ended: Ended): void | Promise<void>;
}

/** What a shape needs beyond the repository. */
export interface Arranged {
  /** Keys of the batch that replace those of the test. */
  readonly over?: Readonly<Record<string, unknown>>;
  /** Variables of the program. */
  readonly env?: Readonly<Record<string, string>>;
  /** The body of the agent (see `Stage.agent`); absent for one that writes `T-1.txt`. */
  readonly agent?: string;
}

/** An area of the matrix: its heading and its rows. Each file in `shapes` exports one as `area`. */
export interface Area {
  readonly title: string;
  readonly shapes: readonly Shape[];
}

/** All areas, in the order of their files' names. */
export async function allAreas(): Promise<readonly Area[]> {
  const folder = new URL("shapes/", import.meta.url);
  const files = readdirSync(folder).filter((file) => file.endsWith(".ts"));
  return await Promise.all(
    files.toSorted().map(async (file) => ((await import(new URL(file, folder).href)) as { area: Area }).area),
  );
}

/** The matrix as test/foreign/README.md has it. */
export function matrixOf(areas: readonly Area[]): string {
  return areas
    .map(({ title, shapes }) => {
      const rows = shapes.map(
        ({ shape, holds }) => `| ${shape} | ${holds === "works" ? "works" : `refused: \`${holds.refused}\``} |`,
      );
      return [`## ${title}`, "", "| repository or machine | what loopdash does |", "|---|---|", ...rows, ""].join("\n");
    })
    .join("\n");
}
