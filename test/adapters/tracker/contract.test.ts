import { trackerContract } from "../../contract/tracker.ts";
import { trackerFilesContract } from "../../contract/tracker-files.ts";
import { fileTrackersUnderTest, trackersUnderTest } from "../../contract/tracker-kinds.ts";

for (const under of trackersUnderTest) trackerContract(under);
for (const under of fileTrackersUnderTest) trackerFilesContract(under);
