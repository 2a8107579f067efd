/** Cards to print: what is written on them can't break the picture, and fits beside the QR code. */
import { expect, it } from "vitest";
import { cardsHtml } from "./code-pictures.ts";

/** Codes of one dark module: what they say is read in test/console/cards.test.ts. */
const encoders = {
  encode: () => ({ data: [[true]] }),
  CODE128: class {
    encode = () => ({ data: "1" });
  },
};
const code = "7301948211650347";
const linesOf = (html: string) =>
  [...html.matchAll(/font-size="(\d+)">([^<]*)<\/text>/g)].map(([, size, text]) => ({
    size: Number(size),
    text,
  }));

it("has the digits in groups, and lines with signs of markup", () => {
  const lines = linesOf(
    cardsHtml("Cards", [{ code, lines: ["<b>Tom & Co</b>", "Gift card 25.00 EUR"] }], encoders),
  );
  expect(lines.map(({ text }) => text)).toEqual([
    "&lt;b&gt;Tom &amp; Co&lt;/b&gt;",
    "Gift card 25.00 EUR",
    "7301 9482 1165 0347",
  ]);
});

it("writes long lines smaller, cuts the longest, and never is wider than their place", () => {
  for (const length of [0, 1, 12, 40, 41, 300]) {
    const [line] = linesOf(cardsHtml("Cards", [{ code, lines: ["é".repeat(length)] }], encoders));
    const letters = [...(line?.text ?? "")].length;
    expect(letters).toBe(Math.min(40, length));
    expect(letters * 0.62 * (line?.size ?? 0)).toBeLessThanOrEqual(500);
    expect(line?.size).toBeGreaterThanOrEqual(20);
  }
});

it("escapes the title, and has a picture for each card", () => {
  const cards = Array.from({ length: 20 }, () => ({ code, lines: [] }));
  const html = cardsHtml("A <script>", cards, encoders);
  expect(html).toContain("<title>A &lt;script&gt;</title>");
  expect(html.match(/viewBox="0 0 856 540"/g)).toHaveLength(20);
});
