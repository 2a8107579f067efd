/** Uploads a file in parts, compressed. */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { addAbortSignal, type Readable } from "node:stream";
import { createGzip } from "node:zlib";
import { mostPartBytes } from "../../domain/imports/jobs.ts";
import { uploadImport } from "../../operations/operator/imports/upload.ts";
import type { OperatorClient } from "../service/client.ts";
import { usageError } from "../terminal/cli-error.ts";

interface Uploading {
  readonly client: OperatorClient;
  readonly business_id: number;
  /** Its path, or - for standard input. */
  readonly file: string;
  readonly signal: AbortSignal;
  /** Called with the share of the file that was sent; undefined if its size is unknown. */
  readonly sent: (share: number | undefined) => void;
}

/** @returns its import_id @throws CliError when it can't be read */
export async function uploadFile({ client, business_id, file, signal, sent }: Uploading): Promise<number> {
  const { input, bytes } = await openInput(file);
  let read = 0;
  input.on("data", (piece: Buffer) => {
    read += piece.length;
  });
  const file_name = file === "-" ? "standard input" : basename(file).slice(0, 255);
  let import_id: number | undefined;
  let number = 0;
  const send = async (part: Buffer, last: boolean) => {
    const name = import_id === undefined ? { file_name } : { import_id };
    const content = part.toString("base64");
    const body = { business_id, ...name, part: number++, content, last };
    const { data } = await client.call<{ import_id: number }>(uploadImport.path, body, signal);
    import_id = data.import_id;
    sent(bytes === undefined ? undefined : read / Math.max(1, bytes));
  };
  let waiting: Buffer = Buffer.alloc(0);
  // The first level is several times as fast as the default, and a text is nearly as small.
  const packed = createGzip({ level: 1, chunkSize: 256 * 1024 });
  input.on("error", (error) => packed.destroy(error));
  // Destroying the input would not end a read from a terminal. The signal may have come before.
  addAbortSignal(signal, packed);
  try {
    for await (const piece of input.pipe(packed)) {
      waiting = Buffer.concat([waiting, piece as Buffer]);
      for (; waiting.length > mostPartBytes; waiting = waiting.subarray(mostPartBytes))
        await send(waiting.subarray(0, mostPartBytes), false);
    }
  } finally {
    input.destroy();
  }
  await send(waiting, true);
  return import_id as unknown as number;
}

async function openInput(file: string): Promise<{ input: Readable; bytes: number | undefined }> {
  if (file === "-") return { input: process.stdin, bytes: undefined };
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw usageError(`${file} can't be read (${error.code}).`);
  });
  if (found.isDirectory()) throw usageError(`${file} is a directory.`);
  const input = createReadStream(file);
  return { input, bytes: found.isFile() ? found.size : undefined };
}
