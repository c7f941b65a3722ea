/** The names that file systems take for the same: by case and Unicode form, and as those fold that fold case in full (APFS, ext4 with casefold). */
export const PATH_FOLDS: readonly ((text: string) => string)[] = [
  (text) => text.normalize("NFC").toLowerCase(),
  // These also ignore default-ignorable characters.
  (text) =>
    text
      .normalize("NFD")
      .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
      .toUpperCase()
      .toLowerCase()
      .normalize("NFC"),
];
