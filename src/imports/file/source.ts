/** The file of an import: its text, in UTF-8. */
import type { Encoding } from "../../domain/imports/jobs.ts";
import { wrongFile } from "../../domain/imports/wrong-file.ts";
import { FileProblem } from "./file-problem.ts";
import { decodingOf, headBytes } from "./text.ts";
import { unpack } from "./unpack.ts";

export interface Source {
  /** The name of its encoding, as a TextDecoder knows it. */
  readonly decoding: string;
  /** The beginning of its text. */
  readonly head: string;
  /** The bytes of a part of the text as they are in the file. They are UTF-8 if the file is UTF-16. */
  original(text: Buffer): Buffer;
  /** Reads the source from its beginning, as UTF-8. */
  open(): AsyncIterable<Buffer>;
}

/**
 * Finds how the text of a file is encoded.
 * @param parts reads the file from its beginning, as it was uploaded
 * @throws FileProblem when it is no text
 */
export async function openSource(parts: () => AsyncIterable<Buffer>, encoding: Encoding): Promise<Source> {
  const head = await headOf(parts());
  const wrong = wrongFile(head);
  if (wrong !== undefined) throw new FileProblem(wrong);
  const decoding = decodingOf(head, encoding);
  const open = () => unpack(parts());
  return {
    decoding,
    head: new TextDecoder(decoding).decode(head),
    original: (text) => (decoding === "windows-1252" ? windowsBytes(text.toString()) : text),
    open: () => (decoding === "utf-8" ? open() : decoded(open(), decoding)),
  };
}

async function headOf(parts: AsyncIterable<Buffer>): Promise<Buffer> {
  const head: Buffer[] = [];
  let bytes = 0;
  for await (const piece of unpack(parts)) {
    head.push(piece);
    bytes += piece.length;
    if (bytes >= headBytes) break;
  }
  return Buffer.concat(head).subarray(0, headBytes);
}

async function* decoded(bytes: AsyncIterable<Buffer>, decoding: string): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(decoding);
  for await (const part of bytes) {
    const text = decoder.decode(part, { stream: true });
    if (text !== "") yield Buffer.from(text);
  }
  const rest = decoder.decode();
  if (rest !== "") yield Buffer.from(rest);
}

/** The character of each byte. */
const windowsCharacters = new TextDecoder("windows-1252").decode(
  Uint8Array.from({ length: 256 }, (_, byte) => byte),
);

function windowsBytes(text: string): Buffer {
  return Buffer.from(Array.from(text, (character) => windowsCharacters.indexOf(character)));
}
