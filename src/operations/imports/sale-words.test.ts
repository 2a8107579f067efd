import { expect, it } from "vitest";
import { knownWords, meaningOf } from "./sale-words.ts";

it.each([
  ["Verkauf", "sale"],
  ["INVOICED", "sale"],
  ["wc-completed", "sale"],
  ["Devolución", "refund"],
  ["devolucion", "refund"],
  ["Credit note", "refund"],
  ["Gutschrift", "refund"],
  ["partially_refunded", "partial"],
  ["Partiellement remboursé", "partial"],
  ["Refunded", "refunded"],
  ["wc-refunded", "refunded"],
  ["Storno", "cancelled"],
  ["Échoué", "none"],
  ["on-hold", "none"],
  ["Chargeback", undefined],
  ["refund of order 12", undefined],
  ["", undefined],
  ["x".repeat(1000), undefined],
])("%j means %s", (text, meaning) => expect(meaningOf(text)).toBe(meaning));

it("each word has one meaning", () => {
  const words = knownWords.split(", ");
  expect(new Set(words).size).toBe(words.length);
});
