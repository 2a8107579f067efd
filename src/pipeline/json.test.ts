import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holdsOnce } from "../../test/support/measurements.ts";
import { maximumDepth, parseJsonObject } from "./json.ts";

const parse = (text: string) => parseJsonObject(Buffer.from(text));

/** Objects as deep as may be, with every kind of value and no name that is rejected. */
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

it("rejects every object in which a member comes twice, at any depth", () => {
  fc.assert(
    fc.property(objects, fc.nat(), (value, at) => {
      const text = JSON.stringify({ ...value, twice: 1 });
      const inner = text.replace('"twice":1', '"twice":1,"twice":1');
      expect(parse(inner)).toBe("malformed");
      const nested = at % 2 === 0 ? `{"outer":[${inner}]}` : `{"outer":{"more":${inner}}}`;
      expect(parse(nested)).toBe("malformed");
    }),
  );
});

describe("rejects", () => {
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
    ["a number with two exponents", '{"a":1e-400e5}'],
    ["a number with a fraction and two exponents", '{"a":1.00000000000000000001e0e1}'],
    ["a control character in a string", '{"a":"\n"}'],
    ["a member twice", '{"a":1,"a":1}'],
    ["a member twice, once escaped", '{"a":1,"\\u0061":2}'],
    ["__proto__", '{"__proto__":{"a":1}}'],
    ["__proto__, escaped", '{"\\u005f_proto__":1}'],
    ["__proto__, nested", '{"a":[{"__proto__":null}]}'],
  ])("%s", (_name, text) => {
    expect(parse(text)).toBe("malformed");
  });

  it("bytes that are not UTF-8", () => {
    for (const bytes of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe2, 0x82]]) {
      expect(parseJsonObject(Buffer.from([...Buffer.from('{"a":"'), ...bytes, ...Buffer.from('"}')]))).toBe(
        "malformed",
      );
    }
  });

  it("what is nested deeper than it may be, without ever parsing it", () => {
    const nested = (depth: number) => `{"a":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
    expect(parse(nested(maximumDepth))).toBeTypeOf("object");
    expect(parse(nested(maximumDepth + 1))).toBe("malformed");
    for (const bomb of ["[".repeat(60_000), '{"a":'.repeat(12_000), `{"a":${"[".repeat(60_000)}`]) {
      expect(parse(bomb)).toBe("malformed");
    }
  });
});

it("parses no object that has more members or fractions than it may", () => {
  const limited = (text: string) => parseJsonObject(Buffer.from(text), 3, 2);
  expect(limited('{"a":{"b":1},"c":[1,2,3,4,":"]}')).toEqual({ a: { b: 1 }, c: [1, 2, 3, 4, ":"] });
  expect(limited('{"a":{"b":1},"c":[{"d":1}]}')).toBe("too_much");
  expect(limited('{"a":[1.5,2e3],"b":true}')).toEqual({ a: [1.5, 2000], b: true });
  expect(limited('{"a":[1.5,2e3,4.0]}')).toBe("too_much");
});

it("takes brackets, colons and quotes inside strings for what they are", () => {
  const text = JSON.stringify({ a: `${"[{".repeat(40)} : "quoted" \\ \\\\" :`, 'b":': 1 });
  expect(parse(text)).toEqual(JSON.parse(text));
});

describe("a number with a fraction", () => {
  it.each([
    "999999999999.99999",
    "1000000000000.00005",
    "5.0000000000000000001",
    "-5.0000000000000000001",
    "50000000000000000000.1e-19",
    "1e-400",
    "0.00000000000000000000000000000000001e-300",
    "9007199254740991.4",
  ])("never becomes an integer: %s", (number) => {
    const body = parse(`{"true":true,"a":[${number},"${number}"]}`) as unknown as { a: [number, string] };
    expect(Number.isInteger(body.a[0])).toBe(false);
    expect(body.a[1]).toBe(number);
  });

  it.each([
    ["5.0", 5],
    ["-5.000", -5],
    ["50e-1", 5],
    ["0.5E1", 5],
    ["1.5e+1", 15],
    ["0.0", 0],
    ["0e5", 0],
    ["1e12", 1e12],
    ["5.5", 5.5],
  ])("is what it is: %s", (number, value) => expect(parse(`{"a":${number}}`)).toEqual({ a: value }));

  it("takes no longer for having many digits", async () => {
    const zeros = "0".repeat(64_000);
    const milliseconds = (text: string) => {
      const startedAt = performance.now();
      parse(text);
      return performance.now() - startedAt;
    };
    const [few, many] = [`{"a":1.${zeros.slice(0, 4000)}1}`, `{"a":1.${zeros}1}`];
    // 16 times as long, and not 256 times.
    expect(await holdsOnce(() => milliseconds(many) < milliseconds(few) * 64)).toBe(true);
  });

  it("is an integer exactly when its decimal digits say so", () => {
    const digits = fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength: 25 });
    fc.assert(
      fc.property(fc.nat(1e6), digits, fc.integer({ min: -30, max: 30 }), (whole, fraction, exponent) => {
        const body = parse(`{"a":${whole}.${fraction}e${exponent}}`) as unknown as { a: number };
        // Scaled to an integer: whole.fraction * 10^exponent = scaled / 10^shift.
        const scaled = BigInt(whole + fraction);
        const shift = BigInt(fraction.length - exponent);
        const isInteger = shift <= 0n || scaled % 10n ** shift === 0n;
        expect(Number.isInteger(body.a)).toBe(isInteger);
      }),
    );
  });
});

it("makes objects whose inherited names mean nothing", () => {
  expect(Object.keys(parse('{"constructor":1,"toString":2}'))).toEqual(["constructor", "toString"]);
});
