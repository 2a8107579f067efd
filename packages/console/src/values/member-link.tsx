import { Anchor } from "@mantine/core";
import { Link } from "wouter";
import { useBusiness } from "../business.tsx";

/** The number of a member, which leads to its page. */
export function MemberLink({ contactId }: { readonly contactId: number }) {
  const { business_id } = useBusiness();
  return (
    <Anchor component={Link} href={`/${business_id}/members/${contactId}`} inherit>
      {contactId}
    </Anchor>
  );
}
