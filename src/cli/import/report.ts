/** The file that says which lines were not imported, and why. */

import { once } from "node:events";
import { createWriteStream, type WriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import { csvLine } from "../csv-line.ts";
import type { Rejection } from "./lines.ts";

export interface RejectionReport {
  readonly file: string;
  /** How many lines of the import are in it. */
  readonly lines: number;
  add(rejections: readonly Rejection[]): Promise<void>;
  close(): Promise<void>;
}

/** Makes a report; the file is made with the first rejection, for its owner's eyes only. */
export function rejectionReport(file: string): RejectionReport {
  let stream: WriteStream | undefined;
  let lines = 0;
  return {
    file,
    get lines() {
      return lines;
    },
    async add(rejections) {
      if (rejections.length === 0) return;
      if (stream === undefined) {
        stream = createWriteStream(file, { mode: 0o600 });
        await once(stream, "open");
        stream.write(csvLine(["line", "field", "reason"]));
      }
      lines += new Set(rejections.map(({ line }) => line)).size;
      const text = rejections.map(({ line, field, message }) => csvLine([line, field, message])).join("");
      if (!stream.write(text)) await once(stream, "drain");
    },
    async close() {
      if (stream !== undefined) await finished(stream.end());
    },
  };
}
