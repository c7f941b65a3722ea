import type { Zone } from "../bound/bound.ts";
import { type ChangedFile, touchedZones } from "../bound/touched.ts";
import { plural } from "../values/plural.ts";
import { plainText } from "../values/text.ts";
import { type ComplexityRuling, classOfSize, hardestOf } from "./classes.ts";
import { isManifest, isMigration } from "./path-kinds.ts";

/** The part of a captured change that its class depends on. */
interface MeasuredChange {
  readonly paths: readonly ChangedFile[];
  readonly additions: number;
  readonly deletions: number;
}

/**
 * The class of a change, from all that differs between the base and it: how many commits it has does not count. A danger zone, a
 * manifest or a migration makes it at least complex (S3.22: zone relation, risk and dependency signals).
 */
export function complexityOfChange({ paths, additions, deletions }: MeasuredChange, zones: readonly Zone[]): ComplexityRuling {
  const lines = additions + deletions;
  const size = {
    class: classOfSize({ lines, files: paths.length }),
    why: `${plural(lines, "line")} in ${plural(paths.length, "file")}`,
  };
  const [zone] = touchedZones(paths, zones);
  const manifest = paths.find(({ path }) => isManifest(path));
  const migration = paths.find(({ path }) => isMigration(path));
  return hardestOf(
    size,
    ...[
      ...(zone ? [complex(`touches the zone ${zone.zone.path}`)] : []),
      ...(migration ? [complex(`changes the migration ${migration.path}`)] : []),
      ...(manifest ? [complex(`changes the manifest ${manifest.path}`)] : []),
    ],
  );
}

function complex(why: string): ComplexityRuling {
  return { class: "complex", why: plainText(why, 200) };
}
