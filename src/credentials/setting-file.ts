/** Settings that hold a secret may stand in a file instead, as container platforms mount them. */
import { readFileSync } from "node:fs";
import { OperatorError } from "../domain/operator-error.ts";

/** A setting's file can't be used; the message says why, in one line. */
export class SettingFileError extends OperatorError {}

/**
 * Reads a setting that `NAME` holds, or the file that `NAME_FILE` names.
 * @returns undefined when neither is set
 * @throws SettingFileError when both are set, or the file can't be read or is empty
 */
export function readSetting(
  name: string,
  value: string | undefined,
  file: string | undefined,
): string | undefined {
  if (file === undefined) return value;
  if (value !== undefined) throw new SettingFileError(`${name}_FILE and ${name} are both set: keep one.`);
  const text = textOf(name, file);
  if (text === "") throw new SettingFileError(`${name}_FILE names ${file}, which is empty.`);
  return text;
}

function textOf(name: string, file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SettingFileError(`${name}_FILE names ${file}, which can't be read (${code}).`);
  }
}
