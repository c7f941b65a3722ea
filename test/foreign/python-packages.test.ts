import { PYTHON_PACKAGES } from "./packages.ts";
import { playPackages } from "./play-packages.ts";

playPackages(PYTHON_PACKAGES);
