import { serveReading } from "../../../src/adapters/tracker/serve-reading.ts";

// The thread as the program starts it.
serveReading();
