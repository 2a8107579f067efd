/** Reads QR codes and barcodes from pictures, as a scanner does, with a decoder that shares no code with what draws them. */
import {
  BarcodeFormat,
  BinaryBitmap,
  DecodeHintType,
  HybridBinarizer,
  MultiFormatReader,
  RGBLuminanceSource,
} from "@zxing/library";
import type { BrowserContext } from "playwright-core";

/** The brightness of each pixel of a picture at a multiple of its size. The browser decodes the PNG. */
async function pixelsOf(context: BrowserContext, picture: Buffer, zoom: number) {
  const page = await context.newPage();
  try {
    return await page.evaluate<{ width: number; height: number; brightness: number[] }>(`(async () => {
      const image = new Image();
      image.src = "data:image/png;base64,${picture.toString("base64")}";
      await image.decode();
      const [width, height] = [image.width, image.height].map((pixels) => Math.round(pixels * ${zoom}));
      const canvas = Object.assign(document.createElement("canvas"), { width, height }).getContext("2d");
      canvas.drawImage(image, 0, 0, width, height);
      const bytes = canvas.getImageData(0, 0, width, height).data;
      const at = (n) => Math.round((bytes[4 * n] + bytes[4 * n + 1] + bytes[4 * n + 2]) / 3);
      return { width, height, brightness: Array.from({ length: width * height }, (_, n) => at(n)) };
    })()`);
  } finally {
    await page.close();
  }
}

/**
 * The distances from which a code is looked at, one after the other, as a hand moves a scanner. From one distance,
 * the decoder misjudges the size of the modules of about 1 in 100 valid codes.
 */
const zooms = [1, 1.1, 0.8, 1.5, 3];

/** @returns the text of the code in a picture. @throws when there is none of this kind */
export async function scan(context: BrowserContext, picture: Buffer, kind: "QR_CODE" | "CODE_128") {
  let failure: unknown;
  for (const zoom of zooms)
    try {
      return decoded(await pixelsOf(context, picture, zoom), kind);
    } catch (error) {
      failure = error;
    }
  throw failure;
}

interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly brightness: readonly number[];
}

function decoded({ width, height, brightness }: Pixels, kind: "QR_CODE" | "CODE_128"): string {
  const hints = new Map<DecodeHintType, unknown>([
    [DecodeHintType.POSSIBLE_FORMATS, [BarcodeFormat[kind]]],
    [DecodeHintType.TRY_HARDER, true],
  ]);
  const source = new RGBLuminanceSource(Uint8ClampedArray.from(brightness), width, height);
  return new MultiFormatReader().decode(new BinaryBitmap(new HybridBinarizer(source)), hints).getText();
}

/** @returns the text of a QR code that is drawn with half blocks, as in a terminal with light text on a dark ground */
export function scanText(lines: readonly string[]): string {
  const side = 8;
  const rows = lines.flatMap((line) => [
    [...line].map((block) => "█▀".includes(block)),
    [...line].map((block) => "█▄".includes(block)),
  ]);
  const [width, height] = [(rows[0]?.length ?? 0) * side, rows.length * side];
  const brightness = Array.from({ length: width * height }, (_, at) => {
    const [x, y] = [Math.floor((at % width) / side), Math.floor(at / width / side)];
    return rows[y]?.[x] ? 255 : 0;
  });
  return decoded({ width, height, brightness }, "QR_CODE");
}
