/** What a logo is: a square PNG, small enough for a page on a phone. */

export const mostLogoBytes = 30_000;
/** As much as a request can have, so that the error counts bytes. */
export const mostLogoBase64 = 65_000;
const [fewestPixels, mostPixels] = [64, 1024];

// As strings with a character for each byte.
const start = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
const end = "\0\0\0\0IEND\xaeB`\x82";

/**
 * Looks at the signature, the first and the last chunk of the file (RFC 2083, 3.1 and 4.1).
 * @returns what is wrong; undefined: nothing
 */
export function problemOfLogo(base64: string): string | undefined {
  const logo = decoded(base64);
  if (logo === undefined) return "must be in Base64, without line breaks";
  if (!logo.startsWith(start)) return "must be a PNG file";
  if (!logo.endsWith(end)) return "is not whole: the end of the PNG file is missing";
  if (logo.length > mostLogoBytes) return `must have at most ${mostLogoBytes} bytes: this has ${logo.length}`;
  const numberAt = (at: number) =>
    [0, 1, 2, 3].reduce((sum, byte) => sum * 256 + logo.charCodeAt(at + byte), 0);
  const [width, height] = [numberAt(start.length), numberAt(start.length + 4)];
  if (width !== height || width < fewestPixels || width > mostPixels)
    return `must be a square with sides of ${fewestPixels} to ${mostPixels} pixels: this is ${width} × ${height}`;
  return undefined;
}

function decoded(base64: string): string | undefined {
  try {
    const bytes = atob(base64);
    return btoa(bytes) === base64 ? bytes : undefined;
  } catch {
    return undefined;
  }
}
