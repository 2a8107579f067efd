/** What is particular to the lines of each kind of import. */

export interface ImportFacts {
  /** A file must have a column for at least one field of each group. */
  readonly needs: readonly (readonly string[])[];
  /** Other names of columns for fields, such as those of our own exports. */
  readonly otherNames: Readonly<Record<string, readonly string[]>>;
  /** The field that identifies a line when the line has it. */
  readonly reference: string;
  /** Whether equal lines without a reference are several records. */
  readonly countsEqual: boolean;
  /** Other fields whose values no two lines may share. */
  readonly unique: readonly string[];
}

export const importFacts = {
  members: {
    needs: [["phone_number"], ["first_name"], ["last_name"]],
    otherNames: { tier: ["tier_name"], phone_number: ["phone"] },
    reference: "external_ref",
    countsEqual: false,
    unique: ["phone_number", "email"],
  },
  sales: {
    needs: [["contact_id", "phone_number", "external_ref"], ["sold_at"], ["amount"]],
    otherNames: { phone_number: ["phone"] },
    reference: "reference_id",
    countsEqual: true,
    unique: [],
  },
  vouchers: {
    needs: [
      ["contact_id", "phone_number", "external_ref"],
      ["voucher_id", "coupon_code"],
    ],
    otherNames: { phone_number: ["phone"] },
    reference: "reference_id",
    countsEqual: true,
    unique: [],
  },
} as const satisfies Readonly<Record<string, ImportFacts>>;

export type ImportName = keyof typeof importFacts;
