/** Requests that are wrong in some way, or in several: fields, JSON, encoding, head. */
import { gzipSync } from "node:zlib";
import type { TSchema } from "typebox";
import { bodyOf, isOperatorOperation, type Operation } from "../../src/contract/operation.ts";
import { legacyFields } from "../../src/contract/validation.ts";
import type { Random } from "../../test/support/random.ts";

/** Of records that are there, by the field that names them. */
type KnownIds = Readonly<Record<string, readonly number[]>>;

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
const awkwardTexts: readonly string[] = [
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
function fitValue(schema: TSchema, name: string, random: Random, ids: KnownIds): string {
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
function unfitValue(schema: TSchema, random: Random): string {
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

export interface Targets {
  readonly basePath: string;
  /** Authorization headers. */
  readonly partner: string;
  readonly operator: string;
  readonly ids: KnownIds;
}

type Members = [name: string, json: string][];

/** Each changes the members of a body. */
const memberMutations: readonly ((
  members: Members,
  random: Random,
  properties: Record<string, TSchema>,
) => void)[] = [
  (members, random, properties) => {
    const member = random.pick(members);
    if (member !== undefined) member[1] = unfitValue(properties[member[0]] ?? ({} as TSchema), random);
  },
  (members, random) => void members.splice(random.below(members.length + 1), 1),
  (members, random) => void members.push([random.pick(["nonsense", "a.b", "", "é", "toString"]), "1"]),
  (members, random) => void members.push([random.pick(Object.keys(legacyFields)), '"x"']),
  (members, random) =>
    void members.push([random.pick(["__proto__", "constructor", "prototype"]), '{"contact_id":1}']),
  (members, random) => {
    const member = random.pick(members);
    if (member !== undefined) members.push([member[0], random.chance(0.5) ? member[1] : "7"]);
  },
  (members, random) => {
    const member = members.find(([name]) => name === "idempotency_key");
    if (member !== undefined)
      member[1] = JSON.stringify(random.pick(["again", "", " ", "é", "k".repeat(256)]));
  },
  (members, random) => {
    const member = random.pick(members);
    if (member !== undefined) member[1] = JSON.stringify(random.pick(awkwardTexts));
  },
];

/** Each makes of the text of a body the bytes that are sent. */
const textMutations: readonly ((text: string, random: Random) => Buffer)[] = [
  (text, random) => Buffer.from(text.slice(0, random.below(text.length + 1))),
  (text) => Buffer.from(`\ufeff${text}`),
  (text) => Buffer.from(text, "utf16le"),
  (text) => gzipSync(text),
  (text) => Buffer.from(`${text}${text}`),
  (text) => Buffer.from(`[${text}]`),
  (text) => Buffer.from(text.replace("}", ",}")),
  (text) => Buffer.from(`${text}\0`),
  (text) => Buffer.from(text.replace(":", "=")),
  (text, random) => {
    const bytes = Buffer.from(text);
    for (let count = 1 + random.below(4); count > 0; count--) {
      bytes[random.below(Math.max(1, bytes.length))] = random.below(256);
    }
    return bytes;
  },
  (text) =>
    Buffer.concat([
      Buffer.from(text.slice(0, -1)),
      Buffer.from([0x2c, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]),
    ]),
  (_text, random) => Buffer.from("[".repeat(1 + random.below(30_000))),
  (_text, random) => Buffer.from('{"a":'.repeat(1 + random.below(9000))),
  (_text, random) => {
    const depth = 1 + random.below(40);
    return Buffer.from(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`);
  },
  () => Buffer.from(`{${Array.from({ length: 4000 }, (_, nth) => `"m${nth}":1`).join()}}`),
  (text, random) => Buffer.from(text.padEnd(65_530 + random.below(12))),
  (text) => Buffer.from(text.padEnd(300_000)),
  (_text, random) => Buffer.from(random.pick(["", " ", "null", "1", '"a"', "[]", "{}", "{", "}", '{"a"}'])),
];

interface Head {
  method: string;
  target: string;
  headers: [name: string, value: string][];
}

const headMutations: readonly ((head: Head, random: Random) => void)[] = [
  (head) => {
    head.headers = head.headers.filter(([name]) => name !== "Authorization");
  },
  (head, random) =>
    setHeader(
      head,
      "Authorization",
      random.pick(["Bearer", "Bearer x", "Basic YTpi", "Bearer a b", "Bearer \xff"]),
    ),
  (head, random) =>
    setHeader(
      head,
      "Content-Type",
      random.pick(["", "text/plain", "application/xml", "a/b;c", "application/json,x"]),
    ),
  (head, random) => setHeader(head, "Content-Encoding", random.pick(["gzip", "br", "x", "identity, gzip"])),
  (head, random) => {
    head.target += random.pick(["?", "?a=b", "?%00", "/", "//", "%2e%2e/x", "%00", "%zz", ";a=b", "\xff"]);
  },
  (head, random) => {
    head.method = random.pick(["GET", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "PROPFIND"]);
  },
  (head) => {
    head.target = head.target.toUpperCase();
  },
  (head, random) => void head.headers.push(["X-Filler", "x".repeat(random.below(20_000))]),
  (head, random) => {
    for (let count = random.below(3000); count > 0; count--) head.headers.push([`X-${count}`, "1"]);
  },
  (head, random) =>
    void head.headers.push([
      random.pick(["X-Actor", "X-Request-Id", "Cookie", "X-Forwarded-For"]),
      "\xe9%00' or 1",
    ]),
];

function setHeader(head: Head, name: string, value: string): void {
  head.headers = [...head.headers.filter(([known]) => known !== name), [name, value]];
}

/**
 * A request with a sound frame, so that it is due an answer.
 * @param hostile whether it must be refused if it is a write, whatever else is in it
 */
export function wrongRequest(
  operation: Operation,
  { basePath, partner, operator, ids }: Targets,
  random: Random,
  hostile: boolean,
): Buffer {
  const schema = bodyOf(operation);
  const properties = schema.properties as Record<string, TSchema>;
  const required = (schema as { required?: readonly string[] }).required ?? [];
  const members: Members = Object.entries(properties)
    .filter(([name]) => required.includes(name) || random.chance(0.6))
    .map(([name, property]) => [name, fitValue(property, name, random, ids)]);
  const level = random.below(10);
  if (level < 7)
    for (let count = 1 + random.below(3); count > 0; count--)
      random.pick(memberMutations)(members, random, properties);
  if (hostile) members.push(["fuzz_unknown_field", "1"]);
  const text = `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join()}}`;
  const body = level === 7 || level === 8 ? random.pick(textMutations)(text, random) : Buffer.from(text);
  const head: Head = {
    method: "POST",
    target: basePath + operation.path,
    headers: [
      ["Content-Type", "application/json"],
      ["Authorization", isOperatorOperation(operation) ? operator : partner],
    ],
  };
  if (level === 9) random.pick(headMutations)(head, random);
  const lines = head.headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const start = `${head.method} ${head.target} HTTP/1.1\r\nHost: fuzz\r\n${lines}Content-Length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(start, "latin1"), body]);
}
