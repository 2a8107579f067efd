/** Finds members as the person types. Enter opens the only one that is found. */
import { useLocation } from "wouter";
import { ListPage } from "../../tables/list-page.tsx";
import { texts } from "../../texts/en.ts";
import { Words } from "../../values/words.tsx";

export function MembersPage() {
  const [, navigate] = useLocation();
  return (
    <ListPage
      words={texts.members}
      path="/op/members/list"
      create="/op/members/create"
      onCreated={({ data }) => navigate(`/members/${data.contact_id}`)}
      search="search"
      filters={["include_inactive"]}
      file={texts.tables.csv}
      columns={["name", "phone_number", "tier_name", "points_balance", "wallet_balance"]}
      cells={{ name: (row) => <Words>{`${row.first_name} ${row.last_name}`}</Words> }}
      linkTo={({ contact_id }) => `/members/${contact_id}`}
    />
  );
}
