import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { unpack } from "./unpack.ts";

const text = "name,amount\n".repeat(5000);

async function* inParts(bytes: Uint8Array, size = 1000): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += size) yield Buffer.from(bytes.subarray(from, from + size));
}

/** @returns the unpacked text, or what is wrong */
async function unpacked(bytes: Uint8Array, limit?: number): Promise<string> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of unpack(inParts(bytes), limit)) pieces.push(piece);
  } catch (error) {
    return (error as Error).message;
  }
  return Buffer.concat(pieces).toString();
}

const damaged = "The file is damaged or cut off: it can't be unpacked. Compress and upload it again.";

it.each([
  ["text", strToU8(text)],
  ["gzip", gzipSync(text)],
  ["gzip in several members", Buffer.concat([gzipSync(text.slice(0, 600)), gzipSync(text.slice(600))])],
  ["a zip archive", zipSync({ "sales.csv": strToU8(text) })],
  ["a zip archive that was compressed again", gzipSync(zipSync({ "sales.csv": strToU8(text) }))],
  ["a zip archive without compression", zipSync({ "sales.csv": strToU8(text) }, { level: 0 })],
  [
    "a zip archive of a Mac",
    zipSync({
      "out/": strToU8(""),
      "__MACOSX/out/._sales.csv": strToU8("x"),
      "out/sales.csv": strToU8(text),
    }),
  ],
])("unpacks %s", async (_, bytes) => {
  expect(await unpacked(bytes)).toBe(text);
});

it("returns nothing of an empty file", async () => {
  expect(await unpacked(new Uint8Array(0))).toBe("");
});

describe("a file that can't be unpacked", () => {
  const zip = zipSync({ "sales.csv": strToU8(randomBytes(20_000).toString("hex")) });
  const stored = zipSync({ "sales.csv": strToU8(text) }, { level: 0 });
  it.each([
    ["gzip that is cut off", gzipSync(text).subarray(0, 100), damaged],
    ["gzip with a wrong byte", gzipSync(text).map((byte, at) => (at === 20 ? byte ^ 255 : byte)), damaged],
    ["a zip archive with a wrong byte", stored.map((byte, at) => (at === 100 ? byte ^ 1 : byte)), damaged],
    ["a zip archive that is cut off", zip.subarray(0, 10_000), damaged],
    [
      "a zip archive with two files",
      zipSync({ "a.csv": strToU8(text), "b.csv": strToU8(text) }),
      "The zip archive has several files, such as a.csv and b.csv. Import them one by one.",
    ],
    ["a zip archive of folders", zipSync({ "out/": strToU8("") }), "The zip archive has no file."],
    [
      "a spreadsheet",
      zipSync({ "[Content_Types].xml": strToU8("<a/>"), "xl/workbook.xml": strToU8("<b/>") }),
      "The file is a spreadsheet, not a CSV file. Open it, save it as CSV in UTF-8, and import that file.",
    ],
  ])("is named: %s", async (_, bytes, problem) => {
    expect(await unpacked(bytes)).toBe(problem);
  });
});

it.each([
  ["gzip", gzipSync(Buffer.alloc(50_000_000))],
  ["a zip archive", zipSync({ "bomb.csv": new Uint8Array(50_000_000) })],
  ["gzip of gzip", gzipSync(gzipSync(Buffer.alloc(50_000_000)))],
])("stops at the limit, whatever is behind it: %s", async (_, bomb) => {
  let bytes = 0;
  const reading = async () => {
    for await (const piece of unpack(inParts(bomb, 1e6), 1_000_000)) bytes += piece.length;
  };
  await expect(reading()).rejects.toThrow("The file has more than 0.001 GB.");
  expect(bytes).toBeLessThanOrEqual(1_000_000);
});
