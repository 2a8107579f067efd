/** Draws the pictures of a pass: a white card on the colour of the business, as PNG (RFC 2083). */
import { crc32, deflateSync } from "node:zlib";

type Color = readonly [red: number, green: number, blue: number];

const white: Color = [255, 255, 255];

/** @param side in pixels */
export function picture(side: number, color: Color): Buffer {
  const plain = rowOf(side, () => color);
  const crossing = rowOf(side, (x) => (x > 0.15 && x < 0.85 ? white : color));
  const rows = Array.from({ length: side }, (_, y) => (isOnCard(y / side) ? crossing : plain));
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  // Eight bits for each of three colours.
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.concat(rows), { level: 1 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** A row begins with 0: it has no filter. @param colorAt by the part of the way from left to right */
const rowOf = (side: number, colorAt: (x: number) => Color) =>
  Buffer.from([0, ...Array.from({ length: side }, (_, x) => colorAt(x / side)).flat()]);

/** The card has a stripe. */
const isOnCard = (y: number) => y > 0.28 && y < 0.72 && !(y > 0.4 && y < 0.5);

function chunk(kind: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(kind), content]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
