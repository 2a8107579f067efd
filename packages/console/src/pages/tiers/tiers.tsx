/** The tiers of the business. A change is saved only after the page has shown what it does to the sales of the last months. */
import { ListPage } from "../../tables/list-page.tsx";
import { texts } from "../../texts/en.ts";
import { usePreview } from "../rules/preview.tsx";

export function TiersPage() {
  const t = texts.tiers;
  const change = usePreview("/op/tiers/update");
  return (
    <ListPage
      words={t}
      path="/op/tiers/list"
      request={{ count_members: true }}
      create="/op/tiers/create"
      creation={usePreview("/op/tiers/create")}
      columns={["name", "qualifying_sales", "expiry", "program_id", "members"]}
      buttons={[
        { path: "/op/tiers/update", label: texts.edit, edits: true, ...change },
        { path: "/op/tiers/delete", label: texts.remove, explanation: t.removeHelp },
      ]}
    />
  );
}
