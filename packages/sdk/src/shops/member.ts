/** The member that a customer of a shop is. */
import type { LoyaltyClient } from "../client.ts";
import { ApiError, NotFoundError, ValidationError } from "../errors.ts";

/** A customer of a shop. Names and numbers are as the customer typed them. */
export interface ShopCustomer {
  /** The shop's name of the customer, unique for ever; empty for a guest who has none. */
  readonly id: string;
  readonly email?: string | null | undefined;
  readonly phone?: string | null | undefined;
  readonly firstName?: string | null | undefined;
  readonly lastName?: string | null | undefined;
}

export interface MemberSettings {
  /** The shop's name in keys and references, as in its orders. */
  readonly shop: string;
  /**
   * By what customers are found. Name only what the shop has verified: a customer who registers with the address of another person
   * sees and spends the points of that person.
   */
  readonly match: readonly ("email" | "phone_number")[];
  /** Whether a customer becomes a member if there is none. A member needs a phone number, with its country code. */
  readonly create: boolean;
}

/** Why a customer has no member. */
export type NoMember =
  /** Nobody is found, and the shop creates no members. */
  | "not_found"
  /** Nobody is found, and the customer has given no phone number with its country code. */
  | "phone_number_needed"
  /** Another member has the phone number or e-mail address, and the shop does not match by it. A person has to decide. */
  | "taken_by_another";

/**
 * Finds the member of a customer, or creates it. Its key has the customer, so requests at once, or a repetition after a crash, create one.
 * @returns its contact_id, or why there is none
 * @throws ApiError, ConnectionError. Error if another request has just created it from other names or numbers: then ask again
 */
export async function memberOf(
  client: Pick<LoyaltyClient, "members">,
  customer: ShopCustomer,
  settings: MemberSettings,
): Promise<number | NoMember> {
  const found = await find(client, customer, settings);
  if (found !== undefined) return found;
  if (!settings.create) return "not_found";
  const phone_number = phoneNumberOf(customer.phone);
  if (phone_number === undefined) return "phone_number_needed";
  const { email, firstName, lastName } = customer;
  const [first_name, last_name] = [firstName?.trim(), lastName?.trim()];
  const fields = {
    // Customers may give no names, and members have both.
    first_name: first_name || last_name || phone_number,
    last_name: last_name || first_name || phone_number,
    phone_number,
    ...(email ? { email } : {}),
  };
  const [shop, id] = [settings.shop, customer.id].map(encodeURIComponent);
  const key = id === "" ? {} : { idempotency_key: `shop/${shop}/customer/${id}` };
  try {
    const created = await client.members.create({ ...fields, ...key });
    // A member who was erased meanwhile has no number in the response any more.
    const isErased = created.replayed && created.phone_number !== phone_number;
    return isErased ? (await client.members.create(fields)).contact_id : created.contact_id;
  } catch (error) {
    if (error instanceof ValidationError && error.errors.every(({ field }) => field === "phone_number")) {
      return "phone_number_needed";
    }
    if (!(error instanceof ApiError)) throw error;
    const isReused = error.code === "idempotency_key_reused_with_different_payload";
    if (!isReused && !error.is("member_already_exists")) throw error;
    const other = await find(client, customer, settings);
    if (other === undefined && isReused) {
      throw new Error(`Customer ${customer.id} has just become a member by another request.`);
    }
    return other ?? "taken_by_another";
  }
}

async function find(
  client: Pick<LoyaltyClient, "members">,
  { email, phone }: ShopCustomer,
  { match }: MemberSettings,
): Promise<number | undefined> {
  const values = { email: email?.trim(), phone_number: phone?.trim() };
  for (const field of match) {
    const value = values[field];
    if (!value) continue;
    try {
      return (await client.members.find({ [field]: value })).contact_id;
    } catch (error) {
      if (error instanceof NotFoundError && error.is("member_not_found")) continue;
      // What a customer typed may be no address or number.
      if (error instanceof ValidationError && error.errors.every((one) => one.field === field)) continue;
      throw error;
    }
  }
  return undefined;
}

/** A phone number in the form of members, +34600111222, if it has its country code. */
export function phoneNumberOf(text: string | null | undefined): string | undefined {
  const digits = (text ?? "").replaceAll(/[\s().\-/]/g, "").replace(/^00/, "+");
  return /^\+[1-9]\d{6,14}$/.test(digits) ? digits : undefined;
}
