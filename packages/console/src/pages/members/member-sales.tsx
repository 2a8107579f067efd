import { OperationTable } from "../../tables/operation-table.tsx";
import { texts } from "../../texts/en.ts";
import { refundedCell } from "../sales/refunded.tsx";
import type { OfMember } from "./overview.tsx";

/** The sales of a member. Each leads to its payment and its refunds. */
export function MemberSales({ member: { contact_id } }: OfMember) {
  return (
    <OperationTable
      path="/op/sales/list"
      request={{ contact_id }}
      columns={[
        ...["reference_id", "sold_on", "location_id", "amount", "refunded", "points_used"],
        "points_earned",
      ]}
      cells={{ refunded: refundedCell }}
      linkTo={({ sale_id }) => `/sales/${sale_id}`}
      empty={texts.memberSales.empty}
    />
  );
}
