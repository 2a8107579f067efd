/** Amounts of shops, and those of the service. A currency has 0 to 4 decimals: yen none, euros two, dinars three. */

/**
 * Moves the decimal point of an amount to the right, and rounds to a whole number. So 19.99 euros are 1999 cents.
 * @param places can be negative: shops that store yen with two decimals have 100 times as much as the service
 */
export const minorUnits = (amount: number, places: number): number => {
  const [digits, exponent = "0"] = `${amount}`.split("e");
  return Math.round(Number(`${digits}e${Number(exponent) + places}`));
};

/** The amount that so many minor units are, for shops that have amounts as decimal numbers. */
export const majorUnits = (amount: number, decimals: number): number => Number(`${amount}e-${decimals}`);
