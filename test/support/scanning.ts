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

/** The brightness of each pixel. The browser decodes the PNG. */
async function pixelsOf(context: BrowserContext, picture: Buffer) {
  const page = await context.newPage();
  try {
    return await page.evaluate<{ width: number; height: number; brightness: number[] }>(`(async () => {
      const image = new Image();
      image.src = "data:image/png;base64,${picture.toString("base64")}";
      await image.decode();
      const { width, height } = image;
      const canvas = Object.assign(document.createElement("canvas"), { width, height }).getContext("2d");
      canvas.drawImage(image, 0, 0);
      const bytes = canvas.getImageData(0, 0, width, height).data;
      const at = (n) => Math.round((bytes[4 * n] + bytes[4 * n + 1] + bytes[4 * n + 2]) / 3);
      return { width, height, brightness: Array.from({ length: width * height }, (_, n) => at(n)) };
    })()`);
  } finally {
    await page.close();
  }
}

/** @returns the text of the code in a picture. @throws when there is none of this kind */
export async function scan(context: BrowserContext, picture: Buffer, kind: "QR_CODE" | "CODE_128") {
  const { width, height, brightness } = await pixelsOf(context, picture);
  const source = new RGBLuminanceSource(Uint8ClampedArray.from(brightness), width, height);
  const reader = new MultiFormatReader();
  const hints = new Map<DecodeHintType, unknown>([
    [DecodeHintType.POSSIBLE_FORMATS, [BarcodeFormat[kind]]],
    [DecodeHintType.TRY_HARDER, true],
  ]);
  return reader.decode(new BinaryBitmap(new HybridBinarizer(source)), hints).getText();
}
