/** Random codes of cards. */
import { randomInt } from "node:crypto";
import { cardCodeOf, randomDigits } from "../domain/cards.ts";

/** Makes a code of 16 digits, such as 7301 9482 1165 0347. */
export function newCardCode(): string {
  // 20 has no remainder by 4 and by 10, so every digit is as likely as another.
  return cardCodeOf(Array.from({ length: randomDigits }, () => randomInt(20)));
}
