/** What the files have that people choose. */
import { mostLogoBytes } from "../../../../src/domain/logos.ts";

export async function base64Of(source: ReadableStream | Blob): Promise<string> {
  const bytes = new Uint8Array(await new Response(source).arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

/** Text as it is, and other bytes in Base64. */
export async function contentOf(file: File): Promise<string> {
  const text = await file.text();
  return /[\0\uFFFD]/.test(text) ? base64Of(file) : text;
}

/**
 * Draws a picture in the middle of a square, with as many pixels as a logo has space for. Google wants sides of 660.
 * @returns a PNG in Base64
 * @throws if it is no picture
 */
export async function squareOf(file: File): Promise<string> {
  const image = Object.assign(new Image(), { src: `data:${file.type};base64,${await base64Of(file)}` });
  await image.decode();
  let logo: Blob = file;
  for (const side of [660, 512, 384, 256, 192, 128, 96, 64]) {
    const canvas = new OffscreenCanvas(side, side);
    const scale = side / Math.max(image.width, image.height);
    const [width, height] = [image.width * scale, image.height * scale];
    canvas.getContext("2d")?.drawImage(image, (side - width) / 2, (side - height) / 2, width, height);
    logo = await canvas.convertToBlob();
    if (logo.size <= mostLogoBytes) break;
  }
  return base64Of(logo);
}
