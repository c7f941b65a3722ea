// Runs before every other script, on any Node: the syntax here is old on purpose.
"use strict";
var parts = process.versions.node.split(".").map(Number);
if (parts[0] < 24 || (parts[0] === 24 && parts[1] < 15)) {
  process.stderr.write(
    "This needs Node 24.15 or newer, and runs on Node " +
      process.versions.node +
      ".\n" +
      "`npm ci` brings the right one, as long as install scripts may run: repeat it without --ignore-scripts,\n" +
      "and start this through npm (npm start, npm test, npm run check).\n",
  );
  process.exit(1);
}
