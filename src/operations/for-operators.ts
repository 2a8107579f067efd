/** Partners' operations that read, as operators have them: with the operator key, of any business, at all locations. */
import { type TProperties, Type } from "typebox";
import * as fields from "../contract/fields.ts";
import type { ListOperation, ReadOperation } from "../contract/operation.ts";

type Texts = Pick<ReadOperation, "path" | "summary" | "description">;

export function forOperators<Operation extends ReadOperation | ListOperation>(
  operation: Operation,
  texts: Texts,
): Operation {
  const { input, errors } = operation;
  return {
    ...operation,
    ...texts,
    scope: "operator",
    input: Type.Object({ business_id: fields.businessId, ...(input.properties as TProperties) }),
    errors: errors.filter((code) => code !== "sp_location_not_allowed"),
  };
}
