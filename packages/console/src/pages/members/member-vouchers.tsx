/** The vouchers of a member. One that was used by mistake can be given back. */
import { Group } from "@mantine/core";
import { useBusiness } from "../../business.tsx";
import { OperationButton } from "../../forms/operation-dialog.tsx";
import { OperationTable } from "../../tables/operation-table.tsx";
import { texts } from "../../texts/en.ts";
import type { OfMember } from "./overview.tsx";

export function MemberVouchers({ member: { contact_id, active } }: OfMember) {
  const { business_id } = useBusiness();
  const t = texts.memberVouchers;
  return (
    <>
      {active && (
        <Group mb="sm">
          <OperationButton path="/op/vouchers/issue" fixed={{ business_id, contact_id }} label={t.issue} />
        </Group>
      )}
      <OperationTable
        path="/op/vouchers/held"
        request={{ business_id, contact_id }}
        columns={[
          "campaign_name",
          "coupon_code",
          "coupon_value",
          "status",
          "issued_on",
          "valid_through",
          "redeemed_at",
        ]}
        rowKey={({ held_voucher_id }) => held_voucher_id}
        actions={({ held_voucher_id, status }) =>
          status === "held" ? (
            <OperationButton
              path="/op/vouchers/redeem"
              fixed={{ business_id, contact_id, held_voucher_id }}
              show={["location_id", "reference_id", "reason"]}
              label={t.redeem}
              button={{ size: "xs" }}
            />
          ) : status === "redeemed" ? (
            <OperationButton
              path="/op/vouchers/reverse"
              fixed={{ business_id, held_voucher_id }}
              label={t.reverse}
              button={{ size: "xs" }}
            />
          ) : null
        }
        empty={t.empty}
      />
    </>
  );
}
