/** Finds members as the person types. Enter opens the first one. */
import { useLocation } from "wouter";
import { useBusiness } from "../../business.tsx";
import { ListPage } from "../../tables/list-page.tsx";
import { texts } from "../../texts/en.ts";
import { Words } from "../../values/value.tsx";

export function MembersPage() {
  const { business_id } = useBusiness();
  const [, navigate] = useLocation();
  const addressOf = ({ contact_id }: { readonly contact_id: number }) =>
    `/${business_id}/members/${contact_id}`;
  return (
    <ListPage
      words={texts.members}
      path="/op/members/list"
      create="/op/members/create"
      onCreated={({ data }) => navigate(addressOf(data))}
      search="search"
      filters={["include_inactive"]}
      columns={["name", "phone_number", "tier_name", "points_balance", "wallet_balance", "contact_id"]}
      cells={{ name: (row) => <Words>{`${row.first_name} ${row.last_name}`}</Words> }}
      linkTo={addressOf}
    />
  );
}
