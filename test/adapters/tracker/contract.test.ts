import { trackerContract } from "../../contract/tracker.ts";
import { trackersUnderTest } from "../../contract/tracker-kinds.ts";

for (const under of trackersUnderTest) trackerContract(under);
