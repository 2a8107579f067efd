/** The vouchers that members can get. One that is archived can't be issued; members keep theirs. */
import { SaveFile } from "../../files/save-file.tsx";
import { useSession } from "../../session/session.tsx";
import { ListPage } from "../../tables/list-page.tsx";
import { texts } from "../../texts/en.ts";
import { ReferenceName } from "../../values/value.tsx";

const offer = ["campaign_name", "coupon_code", "coupon_value", "points_price"];

export function VouchersPage() {
  const t = texts.vouchers;
  const { may } = useSession();
  return (
    <ListPage
      words={t}
      path="/op/vouchers/list"
      create="/op/vouchers/create"
      more={may("/op/exports/vouchers") && <SaveFile path="/op/vouchers/list" label={t.file} />}
      filters={["include_archived"]}
      columns={[...offer, "validity", "location_id", "archived"]}
      cells={{
        location_id: ({ location_id }) =>
          location_id === null ? texts.all : <ReferenceName field="location_id" id={location_id} />,
        archived: ({ archived }) => (archived ? texts.yes : null),
      }}
      buttons={[
        { path: "/op/vouchers/update", label: texts.edit, edits: true },
        {
          ...{ path: "/op/vouchers/archive", label: t.archive, fixed: () => ({ archived: true }) },
          isFor: ({ archived }) => !archived,
          explanation: ({ campaign_name }) => t.archiveHelp(campaign_name),
        },
        {
          ...{ path: "/op/vouchers/archive", label: t.restore, fixed: () => ({ archived: false }) },
          isFor: ({ archived }) => archived,
        },
      ]}
    />
  );
}
