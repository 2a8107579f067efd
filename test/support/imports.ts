/** What tests of imports do and look at. */
import { expect } from "vitest";
import type { Body } from "./engine-requests.ts";
import { asOperator, operatorWrite } from "./operator-requests.ts";
import { type Business, newPerson, type World } from "./world.ts";

/** A chunk of which every line is new and sound. */
export const landed = (imported: number, skipped = 0) => ({ imported, skipped, rejected: [] });

export interface ImportTools {
  importLines(
    what: "members" | "sales",
    business: Business,
    lines: readonly Body[],
    more?: Body,
  ): Promise<ImportResult>;
  /** The one member that a search finds, in full. */
  memberOf(business: Business, search: string): Promise<Body>;
  /** The transactions of a member as its partner lists them, newest first. */
  transactionsOf(business: Business, contactId: unknown): Promise<Body[]>;
  expectValidLedger(business: Pick<Business, "businessId">): Promise<void>;
  /** A business in Madrid with one member, who bought nothing yet. */
  businessWithMember(): Promise<{ business: Business; contact_id: number; phone_number: string }>;
}

export interface ImportResult {
  readonly imported: number;
  readonly skipped: number;
  readonly rejected: { line: number; field: string; code: string; message: string; imported?: number }[];
}

export function importTools(world: World): ImportTools {
  return {
    async importLines(what, { businessId }, lines, more = {}) {
      const body = { business_id: businessId, lines, ...more };
      return operatorWrite(world, `/op/imports/${what}`, body);
    },
    async memberOf({ businessId }, search) {
      const listed = await asOperator(world, "/op/members/list", {
        business_id: businessId,
        search,
        include_inactive: true,
      });
      expect(listed.body.data).toHaveLength(1);
      const { contact_id } = listed.body.data[0];
      const { body } = await asOperator(world, "/op/members/get", { business_id: businessId, contact_id });
      return body.data;
    },
    async transactionsOf(business, contact_id) {
      const filter = { contact_id, per_page: 100 };
      return (await world.ask("/sp/transactions/list", filter, business.everywhere)).body.data;
    },
    async expectValidLedger({ businessId }) {
      for (const part of ["accounts", "points", "entries", "entry_counts", "member_counts", "reports"]) {
        const slice = { business_id: businessId, part, limit: 100_000 };
        const { body } = await asOperator(world, "/op/ledger/verify", slice);
        expect(body.data).toMatchObject({ mismatches: [], next: null });
      }
    },
    async businessWithMember() {
      const business = await world.business("Importing", "Europe/Madrid");
      const { phone_number } = newPerson();
      const contact_id = await world.member({ phone_number }, business.everywhere);
      return { business, contact_id, phone_number };
    },
  };
}
