import { describe, expect, it } from "vitest";
import { languageFor } from "./languages.ts";

const offered = new Set(["en", "de", "fr"]);

describe("the language of a page", () => {
  it.each([
    [undefined, "en"],
    ["*", "en"],
    ["de", "de"],
    ["de-AT,de;q=0.9,en;q=0.8", "de"],
    ["en;q=0.5, fr-CA", "fr"],
    ["it, FR;q=0.7, de;q=0.8", "de"],
    ["de;q=0, fr;q=0.1", "fr"],
    ["it,pt", "en"],
    [";;q=,,=", "en"],
  ])("for a browser that asks for %s is %s", (asked, language) => {
    expect(languageFor(asked === undefined ? {} : { "accept-language": asked }, offered)).toBe(language);
  });

  it.each([
    ["loyalty_language=fr", "fr"],
    ["other=1; loyalty_language=fr", "fr"],
    ["loyalty_language=it", "de"],
    ["my_loyalty_language=fr", "de"],
  ])("with the cookie %s is %s", (cookie, language) => {
    expect(languageFor({ cookie, "accept-language": "de" }, offered)).toBe(language);
  });
});
