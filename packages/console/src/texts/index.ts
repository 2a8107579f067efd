/** What other folders use of this one. */
export * from "./comparison.ts";
export * from "./dates.ts";
export * from "./decimals.ts";
export * from "./en.ts";
export * from "./en-promotions.ts";
export * from "./en-stamp-cards.ts";
export * from "./failures.ts";
export * from "./labels.ts";
export * from "./lines.ts";
export * from "./promotions.ts";
export * from "./rates.ts";
export * from "./reasons.ts";
export * from "./stamp-cards.ts";
