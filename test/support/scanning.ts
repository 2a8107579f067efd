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
  const hints = new Map<DecodeHintType, unknown>([
    [DecodeHintType.POSSIBLE_FORMATS, [BarcodeFormat[kind]]],
    [DecodeHintType.TRY_HARDER, true],
  ]);
  let failure: unknown;
  for (const zoom of zooms)
    try {
      const { width, height, brightness } = await pixelsOf(context, picture, zoom);
      const source = new RGBLuminanceSource(Uint8ClampedArray.from(brightness), width, height);
      return new MultiFormatReader().decode(new BinaryBitmap(new HybridBinarizer(source)), hints).getText();
    } catch (error) {
      failure = error;
    }
  throw failure;
}
