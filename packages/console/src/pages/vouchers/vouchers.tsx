/** The vouchers that members can get. One that is archived can't be issued; members keep theirs. */
import { Checkbox, Group } from "@mantine/core";
import { useState } from "react";
import { useBusiness } from "../../business.tsx";
import { OperationButton } from "../../forms/operation-dialog.tsx";
import { PageTitle } from "../../shell/page-title.tsx";
import { OperationTable } from "../../tables/operation-table.tsx";
import { texts } from "../../texts/en.ts";

export function VouchersPage() {
  const { business_id } = useBusiness();
  const [include_archived, setArchived] = useState(false);
  const t = texts.vouchers;
  return (
    <>
      <PageTitle title={t.title}>
        <OperationButton path="/op/vouchers/create" fixed={{ business_id }} label={t.create} />
      </PageTitle>
      <Checkbox
        mb="md"
        label={t.includeArchived}
        checked={include_archived}
        onChange={(event) => setArchived(event.currentTarget.checked)}
      />
      <OperationTable
        path="/op/vouchers/list"
        request={{ business_id, include_archived }}
        columns={[
          ...["campaign_name", "coupon_code", "coupon_value", "points_price", "validity", "validity_period"],
          ...["location_id", ...(include_archived ? ["archived"] : [])],
        ]}
        rowKey={({ voucher_id }) => voucher_id}
        actions={(voucher) => {
          const fixed = { business_id, voucher_id: voucher.voucher_id };
          const button = { size: "xs" };
          return (
            <Group gap="xs" justify="flex-end">
              <OperationButton
                path="/op/vouchers/update"
                {...{ fixed, button }}
                initial={voucher}
                label={texts.edit}
              />
              <OperationButton
                path="/op/vouchers/archive"
                fixed={{ ...fixed, archived: !voucher.archived }}
                button={button}
                label={voucher.archived ? t.restore : t.archive}
                explanation={voucher.archived ? undefined : t.archiveHelp(voucher.campaign_name)}
              />
            </Group>
          );
        }}
        empty={t.empty}
      />
    </>
  );
}
