/** Vouchers for the tests of shops. */
import type { LoyaltyClient } from "loyalty-sdk";
import { operatorWrite } from "../support/operator-requests.ts";
import { nextKey, type World } from "../support/world.ts";

/** Gives a member a voucher of a value in minor units. @returns its held_voucher_id */
export async function giveVoucher(
  world: World,
  client: LoyaltyClient,
  contact_id: number,
  coupon_value: number,
): Promise<number> {
  const definition = { campaign_name: "Thank you", coupon_code: nextKey(), coupon_value };
  const business_id = world.home.businessId;
  const { voucher_id } = await operatorWrite(world, "/op/vouchers/create", { business_id, ...definition });
  return (await client.vouchers.issue({ contact_id, voucher_id })).held_voucher_id;
}
