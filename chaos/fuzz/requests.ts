/** Requests that are wrong in one way or in several: fields, JSON, encoding, head. */
import { gzipSync } from "node:zlib";
import { bodyOf, isOperatorOperation, type Operation } from "../../src/contract/operation.ts";
import { legacyFields } from "../../src/contract/validation.ts";
import type { Random } from "../../test/support/random.ts";

export interface Targets {
  readonly basePath: string;
  /** Authorization headers. */
  readonly partner: string;
  readonly operator: string;
  /** Ids of existing records, by the field that names them. */
  readonly ids: Readonly<Record<string, readonly number[]>>;
}

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
  "printable-ascii": (random) => `fuzz ${random.below(2 ** 31)}`,
  "visible-ascii": (random) => `fuzz-${random.below(2 ** 31)}`,
};

/** Text that a parser, a database or a page may treat in a special way. */
const awkwardTexts: readonly string[] = [
  ...["", " ", "\0", "a\0b", "\u0007", "\u001b[31m", "\u007f", "\u0085", "\u2028", "\ufeff", "\uffff"],
  ...["\ufffd", "\ud800", "\udfff\ud800", "a\udc00", "\u202egpj.exe", "\u200b", "e\u0301", "I\u0307"],
  ...["ﬀ", "ſ", "ẞ", "１２３", "👩‍👩‍👧‍👦", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢", "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢", "表ポあA鷗"],
  ...["'; DROP TABLE member; --", "' OR '1'='1", "$1", "%", "_", "\\", "%00", "%s%n", "${7*7}"],
  ...["{{7*7}}", "<script>alert(1)</script>", "../../etc/passwd", "null", "undefined", "NaN", "1e9"],
  ...["0x10", "true", "[object Object]", "__proto__", "constructor", "2024-02-30", "2024-13-01"],
  ...["9999-12-31", "0000-00-00", "+0000000000", "a@b", "@", "a@b..c", "\r\nSet-Cookie: a=b"],
];

/** Written into the JSON as they are. */
const awkwardLiterals: readonly string[] = [
  ...["null", "true", "false", "0", "-0", "-1", "1.5", "5.0", "1e3", "1E400", "-1e400", "1e-400"],
  ...["0.1", "9007199254740991", "9007199254740992", "9007199254740993", "-9007199254740993"],
  ...["18446744073709551616", "99999999999999999999999999999999", '"5"', "[]", "{}", "[[]]", "[null]"],
  ...['{"a":1}', '[1,"1"]', '"\\u0000"', '"\\ud800"', '"\\uD83D\\uDE00"', '"\\/"', "01", "+1", "NaN"],
  ...["Infinity", "'a'", "0x1", "tru", '"\\x41"', "1."],
];

/** JSON that the schema accepts, or nearly always. */
function validJson(schema: Schema, name: string, random: Random, ids: Targets["ids"]): string {
  const known = ids[name];
  if (known !== undefined && random.chance(0.9)) return JSON.stringify(random.pick(known));
  if (schema.enum !== undefined) return JSON.stringify(random.pick(schema.enum));
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf !== undefined) return validJson(random.pick(schema.anyOf), name, random, ids);
  const { type, minimum = 0, maximum = 1000, minLength = 1, maxLength = 255, maxItems = 4 } = schema;
  if (type === "boolean") return String(random.chance(0.5));
  if (type === "integer") {
    // A random id must not be the one of a record that the run needs.
    if (name.endsWith("_id")) return String(Math.min(maximum, 2 ** 40 + random.below(2 ** 30)));
    return String(minimum + random.below(Math.min(maximum - minimum + 1, 1000)));
  }
  if (type === "string") {
    const make = texts[schema.format ?? ""];
    if (make !== undefined) return JSON.stringify(make(random));
    const length = Math.min(maxLength, minLength + random.below(20));
    const letter = () => random.pick([..."abcdefghijklmnopqrstuvwxyzéñ 0123456789"]);
    return JSON.stringify(Array.from({ length }, letter).join("") || "x");
  }
  if (type === "array") {
    const length = random.below(Math.min(4, maxItems + 1));
    return `[${Array.from({ length }, () => validJson(schema.items ?? {}, name, random, ids)).join()}]`;
  }
  if (type !== "object") return "null";
  const members = membersOf(schema, random, 0.5, ids);
  return textOf(members);
}

type Members = [name: string, json: string][];

/** The required members, and a share of the others. */
function membersOf(schema: Schema, random: Random, share: number, ids: Targets["ids"]): Members {
  return Object.entries(schema.properties ?? {})
    .filter(([name]) => schema.required?.includes(name) || random.chance(share))
    .map(([name, inner]) => [name, validJson(inner, name, random, ids)]);
}

const textOf = (members: Members) =>
  `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join()}}`;

/** JSON that the schema rejects, or at the edge of that. */
function wrongJson(schema: Schema, random: Random): string {
  const { minimum, maximum, minLength = 0, maxLength = 255, type, maxItems = 10 } = schema;
  const numbers = [
    ...(minimum === undefined ? [] : [minimum, minimum - 1]),
    ...(maximum === undefined ? [] : [maximum, maximum + 1]),
  ];
  const lengths = [minLength - 1, minLength, maxLength, maxLength + 1, 20_000];
  const edges = [
    ...numbers.map(String),
    ...(type === "string"
      ? lengths.map((length) =>
          JSON.stringify(random.pick(["a", "é", "😀", " "]).repeat(Math.max(0, length))),
        )
      : []),
    ...(type === "array"
      ? [`[${'"x",'.repeat(Math.min(3000, maxItems))}"x"]`, `[${"1,".repeat(5000)}1]`]
      : []),
  ];
  const dice = random.below(3);
  if (dice === 0 && edges.length > 0) return random.pick(edges);
  return dice === 1 ? JSON.stringify(random.pick(awkwardTexts)) : random.pick(awkwardLiterals);
}

/** Each changes the members of a body. */
const memberMutations: readonly ((members: Members, random: Random, schema: Schema) => void)[] = [
  (members, random, { properties = {} }) =>
    replace(random.pick(members), (name) => wrongJson(properties[name] ?? {}, random)),
  (members, random) => replace(random.pick(members), () => JSON.stringify(random.pick(awkwardTexts))),
  (members, random) =>
    replace(
      members.find(([name]) => name === "idempotency_key"),
      () => JSON.stringify(random.pick(["again", "", " ", "é", "k".repeat(256)])),
    ),
  (members, random) => void members.splice(random.below(members.length + 1), 1),
  (members, random) => void members.push([random.pick(["nonsense", "a.b", "", "é", "toString"]), "1"]),
  (members, random) => void members.push([random.pick(Object.keys(legacyFields)), '"x"']),
  (members, random) =>
    void members.push([random.pick(["__proto__", "constructor", "prototype"]), '{"contact_id":1}']),
  (members, random) => {
    const member = random.pick(members);
    if (member !== undefined) members.push([member[0], random.chance(0.5) ? member[1] : "7"]);
  },
];

function replace(member: Members[number] | undefined, json: (name: string) => string): void {
  if (member !== undefined) member[1] = json(member[0]);
}

/** Each makes bytes from the text of a body. */
const textMutations: readonly ((text: string, random: Random) => string | Buffer)[] = [
  (text, random) => text.slice(0, random.below(text.length + 1)),
  (text) => `\ufeff${text}`,
  (text) => Buffer.from(text, "utf16le"),
  (text) => gzipSync(text),
  (text) => `${text}${text}`,
  (text) => `[${text}]`,
  (text) => text.replace("}", ",}"),
  (text) => `${text}\0`,
  (text) => text.replace(":", "="),
  (text, random) => {
    const bytes = Buffer.from(text);
    for (let count = 1 + random.below(4); count > 0; count--) {
      bytes[random.below(Math.max(1, bytes.length))] = random.below(256);
    }
    return bytes;
  },
  // A name that is no UTF-8.
  (text) => Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from(',"\xc3(":1}', "latin1")]),
  (_text, random) => "[".repeat(1 + random.below(30_000)),
  (_text, random) => '{"a":'.repeat(1 + random.below(9000)),
  (_text, random) => {
    const depth = 1 + random.below(40);
    return `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
  },
  () => `{${Array.from({ length: 4000 }, (_, nth) => `"m${nth}":1`).join()}}`,
  (text, random) => text.padEnd(65_530 + random.below(12)),
  (text) => text.padEnd(300_000),
  (_text, random) => random.pick(["", " ", "null", "1", '"a"', "[]", "{}", "{", "}", '{"a"}']),
];

interface Head {
  method: string;
  target: string;
  readonly headers: Map<string, string>;
}

const headMutations: readonly ((head: Head, random: Random) => void)[] = [
  ({ headers }) => void headers.delete("Authorization"),
  ({ headers }, random) =>
    void headers.set(
      "Authorization",
      random.pick(["Bearer", "Bearer x", "Basic YTpi", "Bearer a b", "Bearer \xff"]),
    ),
  ({ headers }, random) =>
    void headers.set(
      "Content-Type",
      random.pick(["", "text/plain", "application/xml", "a/b;c", "application/json,x"]),
    ),
  ({ headers }, random) =>
    void headers.set("Content-Encoding", random.pick(["gzip", "br", "x", "identity, gzip"])),
  (head, random) => {
    head.target += random.pick(["?", "?a=b", "?%00", "/", "//", "%2e%2e/x", "%00", "%zz", ";a=b", "\xff"]);
  },
  (head, random) => {
    head.method = random.pick(["GET", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "PROPFIND"]);
  },
  (head) => {
    head.target = head.target.toUpperCase();
  },
  ({ headers }, random) => void headers.set("X-Filler", "x".repeat(random.below(20_000))),
  ({ headers }, random) => {
    for (let count = random.below(3000); count > 0; count--) headers.set(`X-${count}`, "1");
  },
  ({ headers }, random) =>
    void headers.set(random.pick(["X-Actor", "X-Request-Id", "Cookie", "X-Forwarded-For"]), "\xe9%00' or 1"),
];

/**
 * Makes a request with a valid frame, so that it must get a response.
 * @param hostile whether the service must reject it if it is a write
 */
export function wrongRequest(
  operation: Operation,
  { basePath, partner, operator, ids }: Targets,
  random: Random,
  hostile: boolean,
): Buffer {
  const schema = bodyOf(operation) as Schema;
  const members = membersOf(schema, random, 0.6, ids);
  const level = random.below(10);
  if (level < 7) {
    for (let count = 1 + random.below(3); count > 0; count--) {
      random.pick(memberMutations)(members, random, schema);
    }
  }
  if (hostile) members.push(["fuzz_unknown_field", "1"]);
  const text = textOf(members);
  const changed = level === 7 || level === 8 ? random.pick(textMutations)(text, random) : text;
  const body = typeof changed === "string" ? Buffer.from(changed) : changed;
  const head: Head = {
    method: "POST",
    target: basePath + operation.path,
    headers: new Map([
      ["Content-Type", "application/json"],
      ["Authorization", isOperatorOperation(operation) ? operator : partner],
    ]),
  };
  if (level === 9) random.pick(headMutations)(head, random);
  const lines = [...head.headers].map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const start = `${head.method} ${head.target} HTTP/1.1\r\nHost: fuzz\r\n${lines}Content-Length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(start, "latin1"), body]);
}
