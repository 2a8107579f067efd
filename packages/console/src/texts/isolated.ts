const fromRightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** A name between other words. What follows one that is written from right to left stays in its place. */
export const isolated = (name: string): string => (fromRightToLeft.test(name) ? `\u2068${name}\u2069` : name);

/** A text without what isolates its parts. */
export const withoutIsolates = (text: string): string => text.replaceAll(/[\u2068\u2069]/g, "");
