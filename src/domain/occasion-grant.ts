/** What a member got on an occasion: points in a lot, or a voucher. */
export interface OccasionGrant {
  readonly occasion_id: number;
  /** The year, the day of a tier, or the number of the member who was brought. A member gets something once for each. */
  readonly occurrence: string;
  readonly granted_on: string;
  /** The tier that it reached; null for another kind. */
  readonly tier_id: number | null;
  readonly lot_id: number | null;
  readonly points: number | null;
  readonly held_voucher_id: number | null;
}
