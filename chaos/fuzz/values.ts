/** Values for the fields of an operation, made from its declared schemas: fit ones, and ones that are not. */
import type { TSchema } from "typebox";
import type { Random } from "../../test/support/random.ts";

/** Of records that are there, by the field that names them. */
export type KnownIds = Readonly<Record<string, readonly number[]>>;

interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
}

const texts: Readonly<Record<string, (random: Random) => string>> = {
  e164: (random) => `+34${600_000_000 + random.below(99_999_999)}`,
  email: (random) => `fuzz${random.below(1_000_000)}@example.com`,
  date: (random) => `20${10 + random.below(15)}-0${1 + random.below(9)}-1${random.below(9)}`,
  moment: (random) => `20${10 + random.below(14)}-0${1 + random.below(9)}-11 09:30:00`,
  "visible-ascii": (random) => `fuzz-${random.below(2 ** 31)}`,
};

/** Text that something on the way may stumble over. */
export const awkwardTexts: readonly string[] = [
  ...["", " ", "\0", "a\0b", "\u0007", "\u001b[31m", "\u007f", "\u0085", "\u2028", "\ufeff", "\uffff"],
  ...["\ufffd", "\ud800", "\udfff\ud800", "a\udc00", "\u202egpj.exe", "\u200b", "e\u0301", "I\u0307"],
  ...["ﬀ", "ſ", "ẞ", "１２３", "👩‍👩‍👧‍👦", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢", "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢", "表ポあA鷗"],
  ...["'; DROP TABLE member; --", "' OR '1'='1", "$1", "%", "_", "\\", "%00", "%s%n", "${7*7}"],
  ...["{{7*7}}", "<script>alert(1)</script>", "../../etc/passwd", "null", "undefined", "NaN", "1e9"],
  ...["0x10", "true", "[object Object]", "__proto__", "constructor", "2024-02-30", "2024-13-01"],
  ...["9999-12-31", "0000-00-00", "+0000000000", "a@b", "@", "a@b..c", "\r\nSet-Cookie: a=b"],
];

/** Written as they stand into the JSON. */
const awkwardLiterals: readonly string[] = [
  ...["null", "true", "false", "0", "-0", "-1", "1.5", "5.0", "1e3", "1E400", "-1e400", "1e-400"],
  ...["0.1", "9007199254740991", "9007199254740992", "9007199254740993", "-9007199254740993"],
  ...["18446744073709551616", "99999999999999999999999999999999", '"5"', "[]", "{}", "[[]]", "[null]"],
  ...['{"a":1}', '[1,"1"]', '"\\u0000"', '"\\ud800"', '"\\uD83D\\uDE00"', '"\\/"', "01", "+1", "NaN"],
  ...["Infinity", "'a'", "0x1", "tru", '"\\x41"', "1."],
];

/** A value that the schema accepts, or nearly always. @returns JSON */
export function fitValue(schema: TSchema, name: string, random: Random, ids: KnownIds): string {
  const known = ids[name];
  if (known !== undefined && random.chance(0.9)) return JSON.stringify(random.pick(known));
  return soundJson(schema as Schema, name, random, ids);
}

function soundJson(schema: Schema, name: string, random: Random, ids: KnownIds): string {
  if (schema.enum !== undefined) return JSON.stringify(random.pick(schema.enum));
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf !== undefined) return soundJson(random.pick(schema.anyOf), name, random, ids);
  if (schema.type === "boolean") return String(random.chance(0.5));
  if (schema.type === "integer") return String(fitInteger(schema, name, random));
  if (schema.type === "string") return JSON.stringify(fitText(schema, random));
  if (schema.type === "array") {
    const count = random.below(Math.min(4, (schema.maxItems ?? 4) + 1));
    return `[${Array.from({ length: count }, () => soundJson(schema.items ?? {}, name, random, ids)).join()}]`;
  }
  if (schema.type === "object") {
    const members = Object.entries(schema.properties ?? {})
      .filter(([member]) => schema.required?.includes(member) || random.chance(0.5))
      .map(
        ([member, inner]) => `${JSON.stringify(member)}:${fitValue(inner as TSchema, member, random, ids)}`,
      );
    return `{${members.join()}}`;
  }
  return "null";
}

function fitInteger({ minimum = 0, maximum = 1000 }: Schema, name: string, random: Random): number {
  // A number by chance must not be that of a record that the run itself needs.
  if (name.endsWith("_id")) return Math.min(maximum, 2 ** 40 + random.below(2 ** 30));
  return minimum + random.below(Math.min(maximum - minimum + 1, 1000));
}

function fitText({ format = "", minLength = 1, maxLength = 255 }: Schema, random: Random): string {
  const make = texts[format];
  if (make !== undefined) return make(random);
  const length = Math.min(maxLength, minLength + random.below(20));
  return (
    Array.from({ length }, () => random.pick([..."abcdefghijklmnopqrstuvwxyzéñ 0123456789"])).join("") || "x"
  );
}

/** A value that is no good, or at the edge of being so. @returns what is written into the JSON */
export function unfitValue(schema: TSchema, random: Random): string {
  const { minimum, maximum, minLength = 0, maxLength = 255, type, maxItems = 10 } = schema as Schema;
  const edges = [
    ...(minimum === undefined ? [] : [minimum, minimum - 1].map(String)),
    ...(maximum === undefined ? [] : [maximum, maximum + 1].map(String)),
    ...(type === "string"
      ? [minLength - 1, minLength, maxLength, maxLength + 1, 20_000].map((length) =>
          JSON.stringify(random.pick(["a", "é", "😀", " "]).repeat(Math.max(0, length))),
        )
      : []),
    ...(type === "array"
      ? [`[${'"x",'.repeat(Math.min(3000, maxItems))}"x"]`, `[${"1,".repeat(5000)}1]`]
      : []),
  ];
  const dice = random.below(3);
  if (dice === 0 && edges.length > 0) return random.pick(edges);
  if (dice === 1) return JSON.stringify(random.pick(awkwardTexts));
  return random.pick(awkwardLiterals);
}
