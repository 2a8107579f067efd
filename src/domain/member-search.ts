/** What a list of members is asked for, and what it tells of each. */

export interface MemberSearch {
  readonly businessId: number;
  /** As it was asked for. */
  readonly search: string;
  readonly includeInactive: boolean;
}

export interface ListedMember {
  readonly member_id: number;
  readonly contact_id: number;
  readonly first_name: string;
  readonly last_name: string;
  readonly phone_number: string;
}
