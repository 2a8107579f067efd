/** Codes that scanners read, as pictures in SVG: one rectangle for each run of dark modules. And cards to print. */
import { readableCode } from "./cards.ts";

const svg = (size: string, path: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size}" preserveAspectRatio="none"><path d="${path}"/></svg>`;

/** Draws a QR code. @param rows whether each module is dark, with the light border that scanners need */
function squaresSvg(rows: readonly (readonly boolean[])[]): string {
  const path = rows.flatMap((row, y) => runsOf(row).map(([x, n]) => `M${x} ${y}h${n}v1h-${n}z`));
  return svg(`${rows.length} ${rows.length}`, path.join(""));
}

/** The light modules that a barcode needs on each side. */
const quiet = 10;

/** Draws a barcode. @param modules "1" for a dark one and "0" for a light one */
function barsSvg(modules: string): string {
  const path = runsOf([...modules].map((one) => one === "1")).map(
    ([x, n]) => `M${x + quiet} 0h${n}v1h-${n}z`,
  );
  return svg(`${modules.length + 2 * quiet} 1`, path.join(""));
}

/** Where dark modules begin, and how many follow each other. */
function runsOf(row: readonly boolean[]): [start: number, length: number][] {
  const runs: [number, number][] = [];
  for (const [x, isDark] of row.entries()) {
    const last = runs.at(-1);
    if (!isDark) continue;
    if (last !== undefined && last[0] + last[1] === x) last[1] += 1;
    else runs.push([x, 1]);
  }
  return runs;
}

/** What makes codes of texts: uqr and jsbarcode. */
interface Encoders {
  readonly encode: (text: string, options: { ecc: "M"; border: number }) => { readonly data: boolean[][] };
  readonly CODE128: new (text: string, options: object) => { encode(): { readonly data: string } };
}

/** A code as QR code and as barcode. The error correction lets a dim or scratched QR code be read. */
export const picturesOf = (code: string, { encode, CODE128 }: Encoders) => ({
  squares: squaresSvg(encode(code, { ecc: "M", border: 4 }).data),
  bars: barsSvg(new CODE128(code, {}).encode().data),
});

/** The most letters of a line of a card. */
const mostLetters = 40;
/** The width of a line, in tenths of a millimetre, and its largest letters. */
const [lineWidth, largest] = [500, 48];

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const escapedText = (text: string) => text.replace(/[&<>"]/g, (sign) => entities[sign] ?? "");

/** A line, in letters that are as large as its place allows. */
function textSvg(text: string, x: number, y: number, width = lineWidth): string {
  const letters = [...text];
  const shown = letters.length > mostLetters ? [...letters.slice(0, mostLetters - 1), "…"] : letters;
  // Most letters are at most 0.62 as wide as they are high.
  const size = Math.min(largest, Math.floor(width / (0.62 * Math.max(1, shown.length))));
  return `<text x="${x}" y="${y}" font-size="${size}">${escapedText(shown.join(""))}</text>`;
}

/** `lines`: such as the name of the business and the money on the card. */
type PrintedCard = Readonly<{ code: string; lines: readonly string[] }>;

/** A card in black on white, in tenths of a millimetre. */
function cardSvg({ code, lines }: PrintedCard, encoders: Encoders): string {
  const { squares, bars } = picturesOf(code, encoders);
  const at = (x: number, y: number, width: number, height: number, picture: string) =>
    `<svg x="${x}" y="${y}" width="${width}" height="${height}">${picture}</svg>`;
  const texts = lines.map((line, index) => textSvg(line, 290, 90 + 80 * index));
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 856 540" font-family="sans-serif" text-anchor="middle">',
    '<rect width="856" height="540" fill="#fff"/>',
    ...texts,
    at(556, 20, 290, 290, squares),
    at(28, 330, 800, 110, bars),
    `${textSvg(readableCode(code), 428, 500, 760)}</svg>`,
  ].join("");
}

/** Ten cards in the size of plastic ones, 85.6 by 54 mm, are on a page of A4 or Letter. */
const cardStyle =
  "@page { margin: 4mm 8mm } body { margin: 0 auto; width: 171.2mm; font-size: 0 } " +
  "body > svg { width: 85.6mm; height: 54mm; outline: 1px dashed #999; break-inside: avoid }";

/** A document of cards to print, which needs nothing else. */
export function cardsHtml(title: string, cards: readonly PrintedCard[], encoders: Encoders): string {
  const head = `<meta charset="utf-8"><title>${escapedText(title)}</title><style>${cardStyle}</style>`;
  const pictures = cards.map((card) => cardSvg(card, encoders));
  return `<!doctype html><html><head>${head}</head><body>${pictures.join("")}</body></html>`;
}
