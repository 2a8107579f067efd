/** What members get for topping up their wallets. */
import { ListPage } from "../../tables/list-page.tsx";
import { texts } from "../../texts/en.ts";

export function TopupsPage() {
  return (
    <ListPage
      words={texts.topups}
      path="/op/topup-benefits/list"
      create="/op/topup-benefits/create"
      columns={["title", "amount", "promo_amount", "location_id", "status"]}
      buttons={[{ path: "/op/topup-benefits/update", label: texts.edit, edits: true }]}
    />
  );
}
