/**
 * Says whether a measurement holds in one of many tries. A busy machine spoils some tries; a fault of the code spoils all of
 * them.
 */
export async function holdsOnce(measurement: () => boolean | Promise<boolean>): Promise<boolean> {
  for (let tries = 0; tries < 30; tries++) if (await measurement()) return true;
  return false;
}
