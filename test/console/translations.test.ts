/** The texts of the languages: each has what English has, and words for all that declarations and responses name. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Field, Fields } from "../../packages/console/src/api/declarations.ts";
import { errors } from "../../src/contract/errors.ts";
import { fieldErrorCodes } from "../../src/contract/field-errors.ts";
import { consoleDeclarations, consoleFacts } from "../../tools/console/declarations.ts";
import { sentencesOf } from "../../tools/console/languages.ts";
import { textFiles, textsFolder, textsIn, translations } from "../support/console-texts.ts";

/** Words that are the same in a language as in English. */
const same: Readonly<Record<string, readonly string[]>> = {
  de: [
    ...[
      "Menü",
      "Logo",
      "Name",
      "System",
      "Webhooks",
      "Sandbox",
      "UTC",
      "Code",
      "Codes",
      "Version",
      "Status",
      "Integration",
    ],
    ...["App", "Test", "Support", "Text", "Titel", "Bonus", "Segment", "Header", "Team", "Token", "Bytes"],
  ],
  fr: [
    ...[
      "Points",
      "Logo",
      "points",
      "Menu",
      "Service",
      "Promotions",
      "Promotion",
      "Occasions",
      "Occasion",
      "Segments",
      "Segment",
    ],
    ...[
      "Cartes",
      "Code",
      "Codes",
      "Correction",
      "Secret",
      "Secrets",
      "Exceptions",
      "Article",
      "Articles",
      "Bonus",
    ],
    ...[
      "Pages",
      "Actions",
      "Invitation",
      "Point",
      "UTC",
      "Webhooks",
      "Ctrl K",
      "Continuer",
      "Session",
      "Date",
    ],
  ],
  es: ["No", "Error", "Factor", "Total", "UTC", "Webhooks", "Ctrl K"],
};
/** Names, and codes. */
const names =
  /^(?:[^\p{L}]*|UTF-8|Windows-1252|Loyverse|WooCommerce|Lightspeed.*|Magento|PrestaShop|Square|Shopify|(?:Apple|Google) Wallet|unit|item|DD|MM|hh:mm|\d\d:\d\d)$/u;

describe.each(translations)("the texts in %s", (language) => {
  it.each(textFiles)("have all of %s", async (file) => {
    const [english, own] = [await textsIn("en", file), await textsIn(language, file)];
    const wrong: string[] = [];
    for (const [place, text] of english) {
      const other = own.get(place);
      if (typeof other !== typeof text) wrong.push(`${place} is missing`);
      else if (typeof text === "function" && text.length !== (other as typeof text).length)
        wrong.push(`${place} has other arguments`);
      else if (typeof text === "string" && (text === "") !== (other === "")) wrong.push(`${place} is empty`);
      else if (text === other && !names.test(String(text)) && !same[language]?.includes(String(text)))
        wrong.push(`${place} is English: ${text}`);
    }
    expect(wrong).toEqual([]);
  });

  const declared = Object.values(consoleDeclarations());
  /** The fields of requests and responses, and of the records in them. */
  const withParts = (fields: Fields): [string, Field][] =>
    Object.entries(fields).flatMap(([name, field]) => [
      [name, field] as [string, Field],
      ...withParts({ ...field.properties, ...field.items?.properties }),
    ]);
  const fields = declared.flatMap(({ input, output }) => withParts({ ...input, output }));

  it("have a word for every field, choice, error and sentence of the declarations", async () => {
    const { fieldTexts } = await import(join(textsFolder, language, "fields.ts"));
    const { errorTexts } = await import(join(textsFolder, language, "errors.ts"));
    const { sentences } = await import(join(textsFolder, language, "sentences.ts"));
    const choices = fields.flatMap(([, { enum: values = [], items }]) => [...values, ...(items?.enum ?? [])]);
    // Scopes and errors are codes, which partners know.
    const isWord = (choice: string) => !choice.startsWith("wa.") && !(choice in errors) && choice !== "";
    const partners = /^(?:sp_|idempotency_key|invalid_c|legacy|malformed|method|operation_not|query_)/;
    const words = {
      labels: [
        fields.map(([name]) => name).filter((name) => !/^output$|^(?:next_)?after_/.test(name)),
        fieldTexts.labels,
      ],
      choices: [choices.filter(isWord), fieldTexts.choices],
      problems: [fieldErrorCodes, errorTexts.problems],
      errors: [Object.keys(errors).filter((code) => !partners.test(code)), errorTexts.errors],
      sentences: [[...sentencesOf(consoleFacts())], sentences],
    } as const;
    const missing = Object.entries(words).flatMap(([kind, [all, own]]) =>
      [...new Set(all)].filter((one) => !Object.hasOwn(own, one)).map((one) => `${kind}: ${one}`),
    );
    expect(missing).toEqual([]);
    const known = new Set(words.sentences[0]);
    expect(Object.keys(sentences).filter((sentence) => !known.has(sentence))).toEqual([]);
  });
});
