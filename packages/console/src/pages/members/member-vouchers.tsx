/** The vouchers of a member. One that was used by mistake can be given back. */
import { Anchor, Group } from "@mantine/core";
import { Link } from "wouter";
import { OperationButton } from "../../forms/operation-dialog.tsx";
import { OperationTable } from "../../tables/operation-table.tsx";
import { texts } from "../../texts/en.ts";
import type { OfMember } from "./overview.tsx";

export function MemberVouchers({ member: { contact_id, active } }: OfMember) {
  const t = texts.memberVouchers;
  return (
    <>
      {active && (
        <Group mb="sm">
          <OperationButton path="/op/vouchers/issue" fixed={{ contact_id }} label={t.issue} />
        </Group>
      )}
      <OperationTable
        path="/op/vouchers/held"
        request={{ contact_id }}
        columns={[
          ...["campaign_name", "coupon_code", "coupon_value", "status", "issued_on", "valid_through"],
          "redeemed_at",
        ]}
        buttons={[
          {
            path: "/op/vouchers/redeem",
            label: t.redeem,
            isFor: ({ status }) => active && status === "held",
            fixed: () => ({ contact_id }),
            show: ["location_id", "reference_id", "reason"],
          },
          {
            path: "/op/vouchers/reverse",
            label: t.reverse,
            isFor: ({ status }) => status === "redeemed",
            obstacle: ({ sale_id }) =>
              sale_id !== null && (
                <Anchor component={Link} href={`/sales/${sale_id}`} inherit>
                  {t.ofSale(sale_id)}
                </Anchor>
              ),
          },
        ]}
        empty={t.empty}
      />
    </>
  );
}
