import { COMPILED_PACKAGES } from "./packages.ts";
import { playPackages } from "./play-packages.ts";

playPackages(COMPILED_PACKAGES);
