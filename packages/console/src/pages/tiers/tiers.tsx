/** The tiers of the business. A change is saved only after the page has shown what it does to the sales of the last months. */
import { declarationOf } from "../../api/declarations.ts";
import { ListPage } from "../../tables/list-page.tsx";
import { texts } from "../../texts/en.ts";
import { usePreview } from "../rules/preview.tsx";

const previewed = declarationOf("/op/rules/preview").input.tiers?.items?.properties ?? {};

/** The change of a tier as a change of rules, which the service can preview. */
function asRules({ business_id, tier_id, ...change }: Record<string, unknown>): object {
  const part = Object.fromEntries(Object.entries(change).filter(([name]) => name in previewed));
  const isPreviewed = Object.keys(part).length > 0;
  return isPreviewed ? { business_id, tiers: [{ tier_id, ...part }] } : { business_id, ...change };
}

export function TiersPage() {
  const t = texts.tiers;
  const { preview, canSubmit } = usePreview();
  return (
    <ListPage
      words={t}
      path="/op/tiers/list"
      create="/op/tiers/create"
      createHelp={t.createHelp}
      columns={["name", "qualifying_sales", "expiry", "expiry_period", "program_id"]}
      buttons={[
        {
          ...{ path: "/op/tiers/update", label: texts.edit, edits: true },
          preview: (request) => preview(asRules({ ...request })),
          canSubmit: (request) => canSubmit(asRules({ ...request })),
        },
        { path: "/op/tiers/delete", label: texts.remove, explanation: ({ name }) => t.removeHelp(name) },
      ]}
    />
  );
}
