/** How the texts of the console are put together in each language: labels, counts, phrases inside of sentences, and errors of fields. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { getCountries } from "libphonenumber-js/min";
import { parseSync, Visitor } from "oxc-parser";
import { describe, expect, it } from "vitest";
import { codesOf } from "../../packages/console/src/texts/codes.ts";
import { outcomeText } from "../../packages/console/src/texts/outcomes.ts";
import { aboutFields } from "../../packages/console/src/texts/problems.ts";
import { translator } from "../../packages/console/src/texts/translate.ts";
import { decimalsOf } from "../../src/database/access/currencies.ts";
import { fieldsOfFile, importKinds } from "../../src/operations/imports/import-kinds.ts";
import { consoleDeclarations } from "../../tools/console/declarations.ts";
import { textFiles, textsFolder, textsIn, translations } from "../support/console-texts.ts";

const folder = join(textsFolder, "..");
const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.tsx?$/.test(path) && !/^generated|\.test\./.test(path))
  .map((path) => ({ path, text: readFileSync(join(folder, path), "utf8") }));
const wordsOf = (language: string, file: string) => import(join(textsFolder, language, file));

/** The names that a component gives to columns, cells, filters and inputs. */
function namesIn(path: string, text: string): string[] {
  const found: string[] = [];
  const lists = /^(?:columns|show|filters|first)$/;
  const take = (name: string, value: unknown) => {
    const {
      type,
      elements = [],
      properties = [],
    } = value as { type?: string; elements?: []; properties?: [] };
    if (lists.test(name) && type === "ArrayExpression")
      for (const { value } of elements as { value?: unknown }[])
        if (typeof value === "string") found.push(value);
    if (name === "cells" && type === "ObjectExpression")
      for (const { key } of properties as { key?: { name?: string } }[]) if (key?.name) found.push(key.name);
  };
  new Visitor({
    JSXAttribute: ({ name, value }) => {
      if (name.type === "JSXIdentifier" && value?.type === "JSXExpressionContainer")
        take(name.name, value.expression);
    },
    Property: ({ key, value }) => {
      if (key.type === "Identifier") take(key.name, value);
    },
  }).visit(parseSync(path, text).program);
  return found;
}

const named = [
  ...new Set(
    sources.filter(({ path }) => path.endsWith(".tsx")).flatMap(({ path, text }) => namesIn(path, text)),
  ),
];

/** The fields of lines in files, whose labels people write. */
const fileFields = [
  ...new Set(Object.values(importKinds).flatMap((kind) => Object.keys(fieldsOfFile(kind)))),
];

describe.each(translations)("the labels in %s", (language) => {
  it("are there for every column, filter and input that a page names", async () => {
    expect(named).toContain("changes");
    const { labels } = (await wordsOf(language, "fields.ts")).fieldTexts;
    expect(named.filter((name) => !Object.hasOwn(labels, name))).toEqual([]);
  });
});

it.each(["en", ...translations])("the fields of files have different labels in %s", async (language) => {
  const { labels } = (await wordsOf(language, "fields.ts")).fieldTexts;
  const labelOf = (name: string) => labels[`import_${name}`] ?? labels[name] ?? name;
  const all = fileFields.map(labelOf);
  expect(all.filter((label, index) => all.indexOf(label) !== index || label.includes(":"))).toEqual([]);
});

it.each(["en", ...translations])("the help in %s shows a field of a file by its label", async (language) => {
  const { labels } = (await wordsOf(language, "fields.ts")).fieldTexts;
  const { defaults } = (await wordsOf(language, "help.ts")).fieldHelp;
  expect(defaults).toMatch(new RegExp(` ${labels.last_name ?? "Last name"}\\s?: `));
});

it.each(["en", ...translations])(
  "each dialog without a field says more than its title in %s",
  async (language) => {
    const { actionHelps } = await wordsOf(language, "action-help.ts");
    const isAsked = (name: string) => !/_id$|^(?:dry_run|reason)$/.test(name);
    const silent = Object.entries(consoleDeclarations()).filter(
      ([path, { kind, confirm, input }]) =>
        (kind === "write" || kind === "posting") &&
        !Object.keys(input).some(isAsked) &&
        !(confirm || path in actionHelps || outcomeText(path, example, String).lines.length > 0),
    );
    expect(silent.map(([path]) => path)).toEqual([]);
  },
);

/** What a form is about, if all of it is known. */
const example = {
  ...{ request: { points: 1 }, record: { reference_id: "T-1", campaign_name: "Coffee", amount: -1 } },
  ...{
    member: { first_name: "Anna" },
    found: {},
    chosen: { name: "Gold", campaign_name: "Coffee", membership_name: "Gold" },
  },
} as never;

it("every country and currency of the service can be chosen, and no other country", () => {
  const codesFor = (field: string) => (codesOf(field) ?? []).map(({ value }) => value);
  expect(codesFor("country").toSorted()).toEqual(getCountries().toSorted());
  expect(codesFor("currency").filter((code) => decimalsOf(code) === undefined)).toEqual([]);
});

/** The words that are wrong after the number 1. */
const plurals: Readonly<Record<string, RegExp>> = {
  en: /points|sales|members|stamps|vouchers|pieces|days|events|attempts|entries|lines|mismatches|endpoints|months|units/,
  de: /Punkte|Verkäufe|Mitglieder|Gutscheine|Tage|Ereignisse|Versuche|Buchungen|Zeilen|Abweichungen|Endpunkte/,
  fr: /points|ventes|membres|tampons|bons|articles|jours|événements|tentatives|écritures|lignes|écarts/,
  es: /puntos|ventas|miembros|sellos|vales|unidades|días|eventos|intentos|movimientos|líneas|diferencias/,
};

it.each(Object.keys(plurals))("one thing is not several in %s", async (language) => {
  const isWrong = new RegExp(`(?<![\\d.,:/] ?)\\b1 (?:${plurals[language]?.source})`);
  const wrong: string[] = [];
  let said = 0;
  for (const file of textFiles)
    for (const [place, text] of await textsIn(language, file)) {
      if (typeof text !== "function") continue;
      // A text of a record gets one of which all numbers are 1.
      const one = new Proxy(
        { valueOf: () => 1, toString: () => "1" },
        { get: (own, key) => Reflect.get(own, key) ?? 1 },
      );
      for (const value of [1, "1", one]) {
        let result: unknown;
        try {
          result = text(...Array.from({ length: 3 }, () => value));
        } catch {
          continue;
        }
        said += 1;
        if (typeof result === "string" && isWrong.test(result)) wrong.push(`${place}: ${result}`);
      }
    }
  expect(said).toBeGreaterThan(100);
  expect(wrong).toEqual([]);
});

it("a phrase inside of a sentence keeps the capitals of German nouns", async () => {
  expect((await wordsOf("de", "language.ts")).phrase("Operatorschlüssel")).toBe("Operatorschlüssel");
  expect((await wordsOf("fr", "language.ts")).phrase("Clé d'opérateur")).toBe("clé d'opérateur");
  // What compares texts, and the words of one language, may change letters by itself.
  const own = /^texts\/(?:en|fr|es)\/|^texts\/(?:days|typed)\.ts$|^shell\/search\.tsx$/;
  const others = sources.filter(({ path, text }) => text.includes(".toLowerCase()") && !own.test(path));
  expect(others.map(({ path }) => path)).toEqual([]);
});

/** What the service says of fields that forms send, with examples of the values in its sentences. */
function sentencesOfService(): string[] {
  const root = join(import.meta.dirname, "../../src");
  const found = new Set<string>();
  const problems = /(["`])((?:must|is|has|can't|can|or|would|does|names|needs) (?:(?!\1)[^\\]|\\.)*)\1/g;
  for (const path of readdirSync(root, { recursive: true, encoding: "utf8" })) {
    // Lines of files have sentences of their own, and what a schema asks for is checked before a form is sent.
    if (!/^(?:operations|credentials|domain)\/.*(?<!test)\.ts$/.test(path) || path.includes("/imports/"))
      continue;
    const text = readFileSync(join(root, path), "utf8");
    if (!/fieldError|CertificateError|problemOf/.test(text)) continue;
    for (const [, , problem = ""] of text.matchAll(problems)) {
      const isSentence = path.startsWith("credentials") || !problem.includes(". ");
      const example = (value: string) => (/(?:[dD]ay|begin|time)$/.test(value) ? "2026-04-17" : "7");
      const said = problem.replaceAll(/\$\{((?:[^{}]|\{[^}]*\})*)\}/g, (_, value) => example(value));
      if (isSentence && !/[. ]$|^must(?: not)? (?:be )?[\d ]+$/.test(said)) found.add(said);
    }
  }
  return [...found];
}

/** What no form of the console can cause: it makes these values itself, offers only what exists, or lacks the field. */
const notOfForms = [
  /^must be (?:in Base64|a PNG file|an IANA|an ISO|the path of|an error code)/,
  /^is not whole|^must have at most 7 bytes/,
  /^must (?:not be more than amount|add up to amount|not be sent without sandbox|be 1 with card_code|differ from that of 7)/,
  /^must contain a character other than accents|^must 7: only|^must not be after the newest event|^is required with similar/,
];

describe.each(translations)("what is wrong with a field, in %s", (language) => {
  it("is said exactly", async () => {
    const { problemSentences } = await wordsOf(language, "problems.ts");
    const say = translator(aboutFields(problemSentences));
    const examples = [
      ["Through must not be in the future.", /Through/],
      ["Limit must be at most your own, 20.00.", /20[.,]00/],
      ["Name must have at most 1 character.", / 1 (?:Zeichen haben|caractère|carácter)\./],
      ["Valid through must be before 2026-04-17.", /17 Apr 2026/],
      ["Factor must not be given together with points: leave one of them out, or null.", /Points/],
      ["Stamps can take off at most 3: the member has no more.", /3/],
    ] as const;
    for (const [sentence, part] of examples) {
      expect(say(sentence)).not.toBe(sentence);
      expect(say(sentence)).toMatch(part);
    }
  });
});

it("has exact words in other languages for all that a form can cause", () => {
  const say = translator(aboutFields(new Proxy({}, { get: () => "" })));
  const all = sentencesOfService();
  expect(all.length).toBeGreaterThan(80);
  const unsaid = all.filter((problem) => say(`X ${problem}.`) !== "");
  expect(unsaid.filter((problem) => !notOfForms.some((one) => one.test(problem)))).toEqual([]);
});

const languageFiles = ["en", ...translations].flatMap((code) =>
  readdirSync(join(textsFolder, code)).map((name) => join(textsFolder, code, name)),
);

it.each([...languageFiles, join(folder, "../../../src/http/member-page-texts.ts")])(
  "no line of a text can begin with a sign, in %s",
  (path) => {
    const found: string[] = [];
    // French has a space before some signs, and other languages have one before "%". It must be one that does not break.
    const note = (text: unknown) => {
      if (typeof text === "string" && / [:;!?»%]|« /.test(text)) found.push(text);
    };
    new Visitor({
      Literal: ({ value }) => note(value),
      TemplateElement: ({ value }) => note(value.raw),
    }).visit(parseSync(path, readFileSync(path, "utf8")).program);
    expect(found).toEqual([]);
  },
);
