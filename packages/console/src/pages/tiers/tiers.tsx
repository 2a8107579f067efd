/** The tiers of the business. */
import { ListPage } from "../../tables/list-page.tsx";
import { texts } from "../../texts/en.ts";

export function TiersPage() {
  const t = texts.tiers;
  return (
    <ListPage
      words={t}
      path="/op/tiers/list"
      create="/op/tiers/create"
      columns={["name", "qualifying_sales", "expiry", "expiry_period", "program_id"]}
      buttons={[
        { path: "/op/tiers/update", label: texts.edit, edits: true },
        { path: "/op/tiers/delete", label: texts.remove, explanation: ({ name }) => t.removeHelp(name) },
      ]}
    />
  );
}
