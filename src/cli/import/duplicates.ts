/**
 * Finds lines of one file that have the same of what must be unique, far apart as they may be. What it has seen is
 * kept on disk, in parts that are small enough to be looked at one after the other.
 */
import { hash } from "node:crypto";
import { appendFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Line, Rejection } from "./lines.ts";

const partCount = 256;
/** Key, digest of the line, number of the field, number of the line. */
const keyBytes = 16;
const digestBytes = 8;
const entryBytes = keyBytes + digestBytes + 1 + 6;
const bufferBytes = 500 * entryBytes;

export interface DuplicateFinder {
  add(line: Line): Promise<void>;
  /** Every line that has something of a line before it. */
  find(): AsyncGenerator<Rejection>;
  /** Removes what was kept. */
  close(): Promise<void>;
}

/** @param fields of which no two lines may have the same */
export async function createDuplicateFinder(fields: readonly string[]): Promise<DuplicateFinder> {
  const directory = await mkdtemp(join(tmpdir(), "loyalty-import-"));
  const fileOf = (part: number) => join(directory, String(part));
  const buffers = new Map<number, Buffer[]>();
  const flush = async (part: number) => {
    const entries = buffers.get(part) ?? [];
    buffers.delete(part);
    await appendFile(fileOf(part), Buffer.concat(entries), { mode: 0o600 });
  };
  return {
    async add(line) {
      for (const [number, field] of fields.entries()) {
        const value = line[field];
        if (value === undefined) continue;
        // E-mail addresses are the same in capitals, nothing else is.
        const text = field === "email" ? String(value).toLowerCase() : String(value);
        const entry = entryOf(line, number, text);
        const part = entry[0] as number;
        const entries = buffers.get(part) ?? [];
        buffers.set(part, entries);
        if (entries.push(entry) * entryBytes >= bufferBytes) await flush(part);
      }
    },
    async *find() {
      for (let part = 0; part < partCount; part += 1) {
        await flush(part);
        yield* duplicatesIn(await readFile(fileOf(part)), fields);
      }
    },
    close: () => rm(directory, { recursive: true, force: true }),
  };
}

function entryOf(line: Line, fieldNumber: number, value: string): Buffer {
  const entry = Buffer.alloc(entryBytes);
  entry.write(hash("sha256", `${fieldNumber} ${value}`).slice(0, 2 * keyBytes), 0, "hex");
  entry.write(line.digest.slice(0, 2 * digestBytes), keyBytes, "hex");
  entry.writeUInt8(fieldNumber, keyBytes + digestBytes);
  entry.writeUIntBE(line.line, keyBytes + digestBytes + 1, 6);
  return entry;
}

function* duplicatesIn(entries: Buffer, fields: readonly string[]): Generator<Rejection> {
  const seen = new Map<string, { digest: string; line: number }>();
  for (let at = 0; at < entries.length; at += entryBytes) {
    const key = entries.toString("latin1", at, at + keyBytes);
    const digest = entries.toString("latin1", at + keyBytes, at + keyBytes + digestBytes);
    const field = fields[entries.readUInt8(at + keyBytes + digestBytes)] as string;
    const line = entries.readUIntBE(at + keyBytes + digestBytes + 1, 6);
    const first = seen.get(key);
    if (first === undefined) seen.set(key, { digest, line });
    // A line that is known by the same reference is skipped, not refused.
    else if (first.digest !== digest)
      yield { line, field, message: `${field} is that of line ${first.line}.` };
  }
}
