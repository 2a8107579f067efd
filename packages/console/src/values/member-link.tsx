import { Anchor } from "@mantine/core";
import { Link } from "wouter";

/** The number of a member, which leads to its page. */
export function MemberLink({ contactId }: { readonly contactId: number }) {
  return (
    <Anchor component={Link} href={`/members/${contactId}`} inherit>
      {contactId}
    </Anchor>
  );
}
