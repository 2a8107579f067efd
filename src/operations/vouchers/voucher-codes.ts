/** Looks up the codes of vouchers that requests name. */
import {
  type ErrorCode,
  type FieldError,
  fields,
  type Rejection,
  Type,
  wrongValue,
} from "../../contract/declare.ts";
import { findPublicDefinitions } from "../../database/engine/rewards/voucher-codes.ts";
import { codeKey, type PublicDefinition } from "../../domain/engine/vouchers/codes.ts";
import { countWrongCode, type LookingUp, tooManyWrongCodes } from "../members/wrong-codes.ts";

/** A code as it is written on a flyer. */
export const writtenCode = {
  ...fields.text(64, "The code, in any case, with or without blanks and hyphens.", "SUMMER20"),
  format: "pasted-text" as const,
};

export const useCodes = Type.Optional(
  Type.Array(writtenCode, {
    maxItems: 5,
    uniqueItems: true,
    description:
      "Public codes, such as one from a flyer. Each makes a voucher of the member and uses it at once, as use_vouchers does.",
    examples: [["SUMMER20"]],
  }),
);

/** Finds the definitions of public codes. @returns a rejection after too many wrong codes */
export async function findCodesInUse(
  context: LookingUp,
  codes: readonly string[] = [],
): Promise<readonly PublicDefinition[] | Rejection<ErrorCode>> {
  if (codes.length === 0) return [];
  const rejected = tooManyWrongCodes(context);
  if (rejected !== undefined) return rejected;
  const { services, caller } = context;
  const keys = [...new Set(codes.map(codeKey))];
  const found = await findPublicDefinitions(services.lookUps, caller.businessId, keys);
  for (const key of keys) if (found.every(({ public_key }) => public_key !== key)) countWrongCode(context);
  return found;
}

/** The codes of definitions, as their uses are counted. */
export const countedCodes = (found: readonly PublicDefinition[] | Rejection<ErrorCode> = []) =>
  "map" in found ? found.map(({ voucher_id }) => ({ voucher_id, code_id: 0 })) : [];

/** Two codes that are compared as the same can't be used in one sale. */
export function checkCodes({
  use_codes = [],
}: {
  readonly use_codes?: readonly string[] | undefined;
}): FieldError[] {
  const keys = use_codes.map(codeKey);
  return keys.flatMap((key, index) =>
    keys.indexOf(key) === index ? [] : [wrongValue(`use_codes.${index}`, "must be named only once")],
  );
}
