/** The texts of the console, as its source has them. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { languages } from "../../packages/console/src/texts/languages.ts";

export const textsFolder = join(import.meta.dirname, "../../packages/console/src/texts");
/** The files that each language has. */
export const textFiles = readdirSync(join(textsFolder, "en")).filter((name) => name !== "language.ts");
/** The languages besides English. */
export const translations = Object.keys(languages).filter((code) => code !== "en");

export type ConsoleText = string | ((...values: unknown[]) => unknown);

/** Every text of a file, by its place. */
export async function textsIn(language: string, file: string): Promise<Map<string, ConsoleText>> {
  const found = new Map<string, ConsoleText>();
  const walk = (value: unknown, place: string): void => {
    if (typeof value === "string" || typeof value === "function") found.set(place, value as ConsoleText);
    else if (typeof value === "object" && value !== null)
      for (const [name, part] of Object.entries(value)) walk(part, `${place}.${name}`);
  };
  walk(await import(join(textsFolder, language, file)), file);
  return found;
}
