/** Requests that are wrong in some way, or in several: fields, JSON, encoding, head. */
import { gzipSync } from "node:zlib";
import type { TSchema } from "typebox";
import { bodyOf, isOperatorOperation, legacyFields } from "../../src/contract/body.ts";
import type { Operation } from "../../src/contract/operation.ts";
import type { Random } from "../../test/support/random.ts";
import { awkwardTexts, fitValue, type KnownIds, unfitValue } from "./values.ts";

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
