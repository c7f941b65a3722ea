import { WORKSPACES } from "./packages.ts";
import { playPackages } from "./play-packages.ts";

playPackages(WORKSPACES);
