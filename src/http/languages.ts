/** In which language a page of the service is sent. */
import type { IncomingHttpHeaders } from "node:http";

/** The cookie of the console with the language that a person chose in this browser. */
const chosenLanguage = /(?:^|;\s*)loyalty_language=(\w+)/;

/**
 * @param offered the languages that there are, such as "de"
 * @returns the one that the person chose, or else the first that the browser asks for, or else English
 */
export function languageFor(
  { cookie = "", "accept-language": asked = "" }: Readonly<IncomingHttpHeaders>,
  offered: Pick<ReadonlySet<string>, "has">,
): string {
  const [, chosen = ""] = chosenLanguage.exec(cookie) ?? [];
  const others = asked
    .split(",")
    .map((part) => {
      const [tag = "", weight = "1"] = part
        .trim()
        .toLowerCase()
        .split(/\s*;\s*q=/);
      return { language: tag.split("-")[0] as string, weight: Number(weight) };
    })
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight);
  return [chosen, ...others.map(({ language }) => language)].find((one) => offered.has(one)) ?? "en";
}
