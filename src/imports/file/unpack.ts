/** Unpacks files that are compressed: gzip (RFC 1952), and zip archives with one file. */
import { Readable } from "node:stream";
import { crc32, createGunzip } from "node:zlib";
import { Unzip, type UnzipFile, UnzipInflate } from "fflate";
import { mostFileBytes } from "../../domain/imports/jobs.ts";
import { wrongFile } from "../../domain/imports/wrong-file.ts";
import { FileProblem } from "./file-problem.ts";

/** A piece of a zip archive can be a thousand times as long when it is unpacked. */
const pieceBytes = 16_384;

/** Our own programs compress what they upload, also a file that is compressed. */
const mostLayers = 2;

/**
 * Unpacks a file while it is read.
 * @param parts the file as it was uploaded
 * @param limitBytes of the file when it is unpacked
 * @throws FileProblem when it can't be unpacked, is too large, or is a spreadsheet
 */
export async function* unpack(
  parts: AsyncIterable<Buffer>,
  limitBytes = mostFileBytes,
  layers = mostLayers,
): AsyncGenerator<Buffer> {
  const iterator = parts[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done) return;
  const whole = behind(first.value, iterator);
  const unpacked = layers === 0 ? undefined : unpackerOf(first.value);
  if (unpacked === undefined) yield* whole;
  else yield* unpack(limited(unpacked(whole), limitBytes), limitBytes, layers - 1);
}

/** @throws FileProblem for a spreadsheet, which is a zip archive, too */
function unpackerOf(head: Buffer) {
  const [one, two, three, four] = head;
  if (one === 0x1f && two === 0x8b) return gunzipped;
  if (one !== 0x50 || two !== 0x4b || three !== 3 || four !== 4) return undefined;
  const wrong = wrongFile(head);
  if (wrong !== undefined) throw new FileProblem(wrong);
  return unzipped;
}

async function* limited(pieces: AsyncIterable<Buffer>, limitBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > limitBytes) {
      const limit = `${limitBytes / 1e9} GB`;
      throw new FileProblem(
        `The file has more than ${limit}. Split it, and import the parts one after the other.`,
      );
    }
    yield piece;
  }
}

async function* behind(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

async function* gunzipped(parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const source = Readable.from(parts, { objectMode: false });
  const gunzip = createGunzip();
  // A fault of the source is passed on as it is.
  let fault: Error | undefined;
  source.on("error", (error) => {
    fault = error;
    gunzip.destroy(error);
  });
  try {
    for await (const piece of source.pipe(gunzip)) yield piece as Buffer;
  } catch {
    throw fault ?? damaged();
  } finally {
    source.destroy();
  }
}

const damaged = () =>
  new FileProblem("The file is damaged or cut off: it can't be unpacked. Compress and upload it again.");

/** What systems add to archives by themselves. */
const isAddition = (name: string) => /\/$|^__MACOSX\/|(?:^|\/)\.[^/]*$/.test(name);

async function* unzipped(parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const pieces: Buffer[] = [];
  let problem: FileProblem | undefined;
  let found: UnzipFile | undefined;
  let isWhole = false;
  let [checksum, bytes] = [0, 0];
  let end: Buffer = Buffer.alloc(0);
  const unzip = new Unzip((file) => {
    if (isAddition(file.name)) return;
    if (found !== undefined) {
      const names = `${found.name} and ${file.name}`;
      problem ??= new FileProblem(
        `The zip archive has several files, such as ${names}. Import them one by one.`,
      );
      return;
    }
    found = file;
    file.ondata = (error, data, isLast) => {
      if (error) problem ??= damaged();
      else pieces.push(Buffer.from(data.buffer, data.byteOffset, data.byteLength));
      checksum = crc32(data, checksum);
      bytes += data.length;
      isWhole ||= isLast;
    };
    file.start();
  });
  unzip.register(UnzipInflate);
  const push = (piece: Uint8Array, isLast: boolean) => {
    try {
      unzip.push(piece, isLast);
    } catch {
      problem ??= damaged();
    }
    if (problem !== undefined) throw problem;
    return pieces.splice(0);
  };
  for await (const part of parts) {
    end = Buffer.concat([end, part]).subarray(-longestDirectory);
    for (let from = 0; from < part.length; from += pieceBytes)
      yield* push(part.subarray(from, from + pieceBytes), false);
  }
  yield* push(new Uint8Array(0), true);
  if (found === undefined) throw new FileProblem("The zip archive has no file.");
  const listed = listedIn(end, found.name);
  if (!isWhole || listed?.checksum !== checksum || listed.bytes !== bytes) throw damaged();
}

/** The list of files at the end of an archive, which has a file and what systems add. */
const longestDirectory = 65_536;

/** What the list at the end of an archive says of a file (APPNOTE.TXT 4.3.12). */
function listedIn(end: Buffer, name: string) {
  for (let at = end.indexOf("PK\x01\x02"); at !== -1; at = end.indexOf("PK\x01\x02", at + 4)) {
    if (at + 46 > end.length) return undefined;
    const named = end.subarray(at + 46, at + 46 + end.readUInt16LE(at + 28));
    if (named.toString() === name || named.toString("latin1") === name)
      return { checksum: end.readUInt32LE(at + 16), bytes: end.readUInt32LE(at + 24) };
  }
  return undefined;
}
