/** What members get for topping up their wallets. */
import { useBusiness } from "../../business.tsx";
import { OperationButton } from "../../forms/operation-dialog.tsx";
import { PageTitle } from "../../shell/page-title.tsx";
import { OperationTable } from "../../tables/operation-table.tsx";
import { texts } from "../../texts/en.ts";

export function TopupsPage() {
  const { business_id } = useBusiness();
  const t = texts.topups;
  return (
    <>
      <PageTitle title={t.title} subtitle={t.explanation}>
        <OperationButton path="/op/topup-benefits/create" fixed={{ business_id }} label={t.create} />
      </PageTitle>
      <OperationTable
        path="/op/topup-benefits/list"
        request={{ business_id }}
        columns={["title", "amount", "promo_amount", "location_id", "status"]}
        rowKey={({ benefit_id }) => benefit_id}
        actions={(benefit) => (
          <OperationButton
            path="/op/topup-benefits/update"
            fixed={{ business_id, benefit_id: benefit.benefit_id }}
            initial={benefit}
            label={texts.edit}
            button={{ size: "xs" }}
          />
        )}
        empty={t.empty}
      />
    </>
  );
}
