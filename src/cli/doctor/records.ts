import { DatabaseSync } from "node:sqlite";
import { asRefusal, SCHEMA_VERSION } from "../../adapters/journal/schema.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";

/** Reads loopdash.db as it is: nothing is created, migrated or written. Throws a UserError (exit 4) if it cannot be used. */
export function lookIntoRecords<T>(file: string, look: (db: DatabaseSync) => T): T {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(file, { timeout: 5_000 });
    db.exec("PRAGMA query_only = ON; PRAGMA trusted_schema = OFF");
    const version = db.prepare("PRAGMA user_version").get()?.["user_version"];
    if (Number(version) > SCHEMA_VERSION) throw newer(file, Number(version));
    return look(db);
  } catch (error) {
    throw asRefusal(error, file);
  } finally {
    if (db?.isOpen) db.close();
  }
}

function newer(file: string, version: number): UserError {
  return new UserError({
    what: `cannot use loopdash's records in ${file}`,
    why: `a newer loopdash wrote them (format ${version}; this one knows up to ${SCHEMA_VERSION})`,
    todo: "Update loopdash, or name another folder in LOOPDASH_HOME.",
    exitCode: EXIT.refused,
  });
}
