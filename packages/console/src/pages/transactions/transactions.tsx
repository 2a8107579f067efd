/** The ledger of the business with all filters, and as a file. */
import { ListPage } from "../../tables/list-page.tsx";
import { texts } from "../../texts/en.ts";
import { entryLink } from "../../values/links.tsx";

export function TransactionsPage() {
  return (
    <ListPage
      words={texts.transactions}
      path="/op/transactions/list"
      filters={["start_date", "end_date", "contact_id", "event_types", "location_id"]}
      cells={{ reference_id: entryLink }}
      file={texts.tables.csv}
    />
  );
}
