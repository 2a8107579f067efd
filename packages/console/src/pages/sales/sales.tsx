/** Finds sales by their receipt, and by day, member and location. */
import { ListPage } from "../../tables/list-page.tsx";
import { texts } from "../../texts/en.ts";
import { refundedCell, saleAmounts } from "./refunded.tsx";

export function SalesPage() {
  return (
    <ListPage
      words={texts.sales}
      path="/op/sales/list"
      search="reference_id"
      filters={["start_date", "end_date", "contact_id", "location_id"]}
      file={texts.tables.csv}
      columns={["reference_id", "sold_on", "contact_id", ...saleAmounts, "points_earned"]}
      cells={{ refunded: refundedCell }}
      linkTo={({ sale_id }) => `/sales/${sale_id}`}
    />
  );
}
