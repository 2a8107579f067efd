/** The programs of the business: how many points a sale earns. */
import { ListPage } from "../../tables/list-page.tsx";
import { texts } from "../../texts/en.ts";
import { usePreview } from "../rules/preview.tsx";

const earning = ["membership_name", "earn_points", "earn_amount", "earn_minimum_amount"];

export function ProgramsPage() {
  const t = texts.programs;
  const change = usePreview("/op/programs/update");
  return (
    <ListPage
      words={t}
      path="/op/programs/list"
      create="/op/programs/create"
      creation={usePreview("/op/programs/create", t.previewNew)}
      columns={[...earning, "maximum_points_per_order"]}
      buttons={[
        { path: "/op/programs/update", label: texts.edit, edits: true, ...change },
        {
          path: "/op/programs/delete",
          label: texts.remove,
          explanation: ({ membership_name }) => t.removeHelp(membership_name),
        },
      ]}
    />
  );
}
