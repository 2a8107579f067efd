/** The columns that other systems have in their exports of customers, and the fields that they become. */
import type { System } from "../domain/import-jobs.ts";

interface Preset {
  /** The names of the columns for a field: the first one that the file has. */
  readonly columns: Readonly<Record<string, readonly string[]>>;
  /** Values for fields that the export does not have. */
  readonly defaults?: Readonly<Record<string, string>>;
}

export const presets: Readonly<Record<System, Preset>> = {
  square: {
    columns: {
      external_ref: ["Square Customer ID"],
      first_name: ["First Name"],
      // The name of the column differs by country.
      last_name: ["Last Name", "Surname"],
      phone_number: ["Phone Number"],
      email: ["Email Address"],
      joined_at: ["Creation Date"],
    },
  },
  shopify: {
    columns: {
      external_ref: ["Customer ID"],
      first_name: ["First Name"],
      last_name: ["Last Name"],
      phone_number: ["Phone"],
      email: ["Email"],
    },
  },
  woocommerce: {
    columns: {
      first_name: ["Name"],
      phone_number: ["Billing Phone"],
      email: ["Email"],
      joined_at: ["Sign Up"],
    },
    defaults: { last_name: "-" },
  },
  "lightspeed-ecom": {
    columns: {
      external_ref: ["Internal ID"],
      first_name: ["Firstname"],
      last_name: ["Lastname"],
      phone_number: ["Mobile", "Phone"],
      email: ["E-Mail"],
      joined_at: ["Registered"],
    },
  },
};
