import { NODE_PACKAGES } from "./packages.ts";
import { playPackages } from "./play-packages.ts";

playPackages(NODE_PACKAGES);
