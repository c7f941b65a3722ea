import type { Zone } from "../bound/bound.ts";
import { type TouchedFile, touchedZones } from "../bound/touched.ts";
import { plainText, plural } from "../values/text.ts";
import { type ComplexityRuling, classOfSize, hardestRuling } from "./classes.ts";
import { isManifest, isMedia, isMigration } from "./path-kinds.ts";

/** The part of a captured change that its class depends on. */
interface MeasuredChange {
  readonly paths: readonly TouchedFile[];
  readonly additions: number;
  readonly deletions: number;
  /** Paths that are no text, by name and content: a worker decides what is in them. */
  readonly uncounted?: readonly string[];
  /** Lines that long ones hide (hidden-lines.ts); "unknown" if the change is too long to be read. */
  readonly hiddenLines?: number | "unknown";
}

/**
 * The class of a change, from all that differs between the base and it: how many commits it has does not count. A danger zone, a
 * manifest or a migration makes it at least complex (S3.22: zone relation, risk and dependency signals). What is not known is not small
 * (law 4): a file whose lines nobody can count makes it architectural, and one that is no text by its name complex.
 */
export function complexityOfChange(
  { paths, additions, deletions, uncounted = [], hiddenLines = 0 }: MeasuredChange,
  zones: readonly Zone[],
): ComplexityRuling {
  if (hiddenLines === "unknown") return { class: "architectural", why: "has lines that are too long to be counted" };
  const lines = additions + deletions + hiddenLines;
  const byLength = hiddenLines === 0 ? "" : ` (long lines add ${hiddenLines})`;
  const size = {
    class: classOfSize({ lines, files: paths.length }),
    why: `${plural(lines, "line")} in ${plural(paths.length, "file")}${byLength}`,
  };
  const [zone] = touchedZones(paths, zones);
  const manifest = paths.find(({ path }) => isManifest(path));
  const migration = paths.find(({ path }) => isMigration(path));
  const unread = uncounted.find((path) => !isMedia(path)) ?? uncounted[0];
  return hardestRuling(
    size,
    ...[
      ...(unread === undefined ? [] : [ofUncounted(unread)]),
      ...(zone ? [complex(`touches the zone ${zone.zone.path}`)] : []),
      ...(migration ? [complex(`changes the migration ${migration.path}`)] : []),
      ...(manifest ? [complex(`changes the manifest ${manifest.path}`)] : []),
    ],
  );
}

function ofUncounted(path: string): ComplexityRuling {
  const why = plainText(`has lines that cannot be counted in ${path}`, 200);
  return { class: isMedia(path) ? "complex" : "architectural", why };
}

function complex(why: string): ComplexityRuling {
  return { class: "complex", why: plainText(why, 200) };
}
