/** The help of fields. Only forms have it. */
import { forPeople } from "./labels.ts";

/** The help of fields, if their description is for programs. An empty text is no help. */
const fieldHelp: Readonly<Record<string, string>> = {
  adjustment_type: "",
  excluded_categories: "As the till sends them, such as gift cards, one per line.",
  excluded_skus: "As the till sends them, one per line.",
  excluded_from_payment: "As the till sends them, such as prescriptions, one per line.",
  archived: "",
  expiry: "How long members keep it.",
  expiry_period: "",
  reason: "It stays with the change. Enter saves, Shift+Enter begins a new line.",
  points: "",
  amount: "",
  first_name: "",
  last_name: "",
  phone_number:
    "With the country code, such as +34600111222, or in the national form of the business's country.",
  email: "",
  date_of_birth: "",
  external_ref: "The number in another system. No two members can have the same.",
  closed:
    "Tills and other programs record nothing there any more. What was recorded stays, and you can refund it.",
  remarks: "What your people should know. Only they see it. Shift+Enter begins a new line.",
  contact_id: "",
  from_contact_id: "",
  tier_id: "",
  voucher_id: "",
  stamp_card_id: "",
  kind: "",
  percent: "Of the whole sale, or of the lines below.",
  most_amount: "Empty: any amount.",
  public_code: "Every member may use it in a sale, such as SUMMER20. Empty: there is none.",
  most_uses: "By all members together. Empty: any number.",
  stamps_needed: "With 9, the tenth is free.",
  counts: "",
  most_per_day: "Of a card for visits. Empty: 1 for a new card.",
  stamps: "",
  location_id: "",
  reference_id: "Such as the number of the receipt.",
  tier: "The tier, by its name or its number.",
  reference_per: "Choose it if the numbers of receipts restart each day or at each location.",
  batch:
    "A name for the file. Its lines are compared only with lines that were imported under the same name.",
  earn: "",
  earn_imported: "Sales that were imported before without points earn them now. No sale earns twice.",
  card_count: "All alike. The list of cards has them.",
  joined_at: "A day or a time, in the time zone of the business. Without it, now.",
  sold_at: "A day or a time, in the time zone of the business.",
  to: "In the time zone of the business. It can't be turned back.",
  date_format: "Days such as 2026-04-17 are always understood.",
  delimiter: "",
  defaults: "One field per line, such as Last name: Unknown. It is for lines where the cell is empty.",
  amount_unit: "",
  decimal: "The other one groups thousands.",
  encoding: "If the file does not say it itself.",
  campaign_name: "",
  coupon_code: "The code on the voucher.",
  coupon_value: "",
  points_price: "The points for which members can get it. Empty: they can't get it for points.",
  validity: "From the day on which a member gets it, or begins the card. Empty: it does not expire.",
  validity_period: "",
  points_validity: "How long members can use points. Empty: they don't expire.",
  points_validity_period: "",
  rp_sales_calculation_period: "So far back sales count for the tier of a member.",
  rp_sales_calculation_period_type: "",
  title: "",
  promo_amount: "What members get on top of what they pay.",
  status: "",
  currency: "Of all amounts.",
  time_zone: "All days and times of the business are in it.",
  color: "The header of these pages has it.",
  country: "Phone numbers are also understood as they are written there.",
  sandbox: "A business for trials, with its own clock. It can be deleted.",
  clock_at: "The first time of the clock of a sandbox. Empty: now.",
  limit_amount:
    "The money that the operator may correct by hand on a day, in each business: in wallets and vouchers. Write it as an amount, such as 20.00; without decimals if no currency has them. If the businesses have currencies with different decimals, write two: 20.00 is then 2,000 of the smallest unit of each. Empty: no limit.",
  earn_points: "The points earned for the amount below. With 0, only other rates earn.",
  earn_per: "",
  rates:
    "For some categories or articles, such as 5 points for each 1.00 of cosmetics. The first rate that matches a line counts.",
  maximum_points_per_day: "By all sales of that day. Empty: no limit.",
  maximum_points_per_month: "By all sales of that month. Empty: no limit.",
  earn_amount: "The amount for which these points are earned.",
  value_points: "The number of points that are worth the amount below.",
  value_amount: "The value of these points. With 0, points can't pay.",
  all_locations: "Also those that are created later.",
  location_ids: "Its locations, if these are not all.",
  multiply: "With 2, a sale earns twice the points of the program.",
  categories: "As the till sends them, such as coffee, one per line. Only their lines of a receipt count.",
  skus: "As the till sends them, one per line. Only their lines of a receipt count.",
  first_day: "",
  last_day: "",
  weekdays: "",
  from_time: "In the time zone of the business. Empty: all day.",
  until_time: "Before the beginning: on the next day.",
  tier_ids: "",
  member: "",
  member_days: "",
  minimum_amount: "",
  minimum_quantity: "",
  most_per_member: "",
  most_per_member_day: "",
  exclusive: "",
  per: "",
  budget_points: "It ends there. Refunds give points back to it.",
  business_ids: "Without a choice: all businesses, also those that are created later.",
  types: "",
  description: "What it is for.",
  from: "",
  since: "In the time zone of the business.",
  until: "Without it, up to now.",
  headers:
    "One per line, such as Authorization: Bearer abc. They are sent with each event. The service never shows their values again.",
  event_no: "Or leave the choice above empty, and write the number of the first event.",
};

/** The help of the field in which people begin to look for something. Enter opens the only one that is found. */
const searchHelp: Readonly<Record<string, string>> = {
  search: "Name, phone number, e-mail address or customer number. Enter opens the only one that is found.",
  reference_id: "The whole number, as on the receipt. Enter opens the sale.",
};

/** The help of a field: the one of the console, or its description. */
export function helpOf(name: string, { description = "", ...field }: Described): string {
  const own = fieldHelp[name];
  return own ?? forPeople(description, field.enum ?? field.items?.enum ?? []);
}

interface Described {
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly items?: { readonly enum?: readonly string[] };
}

/** The help of the field in which people begin to look for something. Other filters have none. */
export function searchHelpOf(name: string, purpose: string | undefined): string | undefined {
  return purpose === "search" ? searchHelp[name] : undefined;
}
