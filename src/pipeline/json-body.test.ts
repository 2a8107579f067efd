import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maximumDepth, parseJsonObject } from "./json-body.ts";

const parse = (text: string) => parseJsonObject(Buffer.from(text));

/** Objects as deep as may be, with every kind of value and no name that is refused. */
const objects = fc.dictionary(
  fc.string({ unit: "grapheme" }).filter((name) => name !== "__proto__"),
  fc.jsonValue({ maxDepth: 6 }).filter((value) => !JSON.stringify(value).includes('"__proto__"')),
);

it("reads every object as JSON.parse does, however it is written", () => {
  fc.assert(
    fc.property(objects, fc.constantFrom("", " ", "\t", "\n"), (value, space) => {
      const text = JSON.stringify(value, null, space);
      expect(parse(text)).toEqual(JSON.parse(text));
      const escaped = text.replace(/[^\x20-\x7e\n\t]/g, (unit) => {
        return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
      });
      expect(parse(escaped)).toEqual(JSON.parse(text));
    }),
  );
});

it("refuses every object in which a member comes twice, at any depth", () => {
  fc.assert(
    fc.property(objects, fc.nat(), (value, at) => {
      const text = JSON.stringify({ ...value, twice: 1 });
      const inner = text.replace('"twice":1', '"twice":1,"twice":1');
      expect(parse(inner)).toBeUndefined();
      const nested = at % 2 === 0 ? `{"outer":[${inner}]}` : `{"outer":{"more":${inner}}}`;
      expect(parse(nested)).toBeUndefined();
    }),
  );
});

describe("refuses", () => {
  it.each([
    ["nothing", ""],
    ["white space", " "],
    ["half an object", '{"a":1'],
    ["more than one value", "{}{}"],
    ["an array", "[]"],
    ["a string", '"text"'],
    ["a number", "1"],
    ["null", "null"],
    ["a byte order mark", "\ufeff{}"],
    ["a comment", '{"a":1/**/}'],
    ["a trailing comma", '{"a":1,}'],
    ["single quotes", "{'a':1}"],
    ["NaN", '{"a":NaN}'],
    ["a control character in a string", '{"a":"\n"}'],
    ["a member twice", '{"a":1,"a":1}'],
    ["a member twice, once escaped", '{"a":1,"\\u0061":2}'],
    ["__proto__", '{"__proto__":{"a":1}}'],
    ["__proto__, escaped", '{"\\u005f_proto__":1}'],
    ["__proto__, nested", '{"a":[{"__proto__":null}]}'],
  ])("%s", (_name, text) => {
    expect(parse(text)).toBeUndefined();
  });

  it("bytes that are not UTF-8", () => {
    for (const bytes of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe2, 0x82]]) {
      expect(
        parseJsonObject(Buffer.from([...Buffer.from('{"a":"'), ...bytes, ...Buffer.from('"}')])),
      ).toBeUndefined();
    }
  });

  it("what is nested deeper than it may be, without ever parsing it", () => {
    const nested = (depth: number) => `{"a":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
    expect(parse(nested(maximumDepth))).toBeDefined();
    expect(parse(nested(maximumDepth + 1))).toBeUndefined();
    for (const bomb of ["[".repeat(60_000), '{"a":'.repeat(12_000), `{"a":${"[".repeat(60_000)}`]) {
      expect(parse(bomb)).toBeUndefined();
    }
  });
});

it("takes brackets, colons and quotes inside strings for what they are", () => {
  const text = JSON.stringify({ a: `${"[{".repeat(40)} : "quoted" \\ \\\\" :`, 'b":': 1 });
  expect(parse(text)).toEqual(JSON.parse(text));
});

it("makes objects whose inherited names mean nothing", () => {
  expect(Object.keys(parse('{"constructor":1,"toString":2}') ?? {})).toEqual(["constructor", "toString"]);
});
