import { createLocks } from "../../../src/adapters/locks/sqlite-locks.ts";

/** Asks for ever whether a resource is held. Arguments: folder, resource. */
const [, , folder = "", resource = ""] = process.argv;
const locks = createLocks(folder);
process.stdout.write("looking\n");
for (;;) locks.isHeld(resource);
