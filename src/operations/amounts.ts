/** Fields of amounts that may be 0. */
import { fields } from "../contract/declare.ts";

/** An amount in minor units that may be 0. */
export const money = (description: string, example = 0) =>
  fields.inMinorUnits(fields.count(`${description}, in minor units.`, example));
/** A number of points that may be 0. */
export const points = (description: string, example = 0) =>
  fields.inPoints(fields.count(description, example));
