import { DatabaseSync } from "node:sqlite";
import { asRefusal, newerRecords, SCHEMA_VERSION } from "../../adapters/journal/schema.ts";

/** Reads loopdash.db as it is: nothing is created, migrated or written. Throws a UserError (exit 4) if it cannot be used. */
export function lookIntoRecords<T>(file: string, look: (db: DatabaseSync) => T): T {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(file, { timeout: 5_000 });
    db.exec("PRAGMA query_only = ON; PRAGMA trusted_schema = OFF");
    const version = db.prepare("PRAGMA user_version").get()?.["user_version"];
    if (Number(version) > SCHEMA_VERSION) throw newerRecords(file, Number(version));
    return look(db);
  } catch (error) {
    throw asRefusal(error, file);
  } finally {
    if (db?.isOpen) db.close();
  }
}
